// SPDX-License-Identifier: Apache-2.0

#ifndef CPOSTGRES_H
#define CPOSTGRES_H

// The functions of libpq that the ledger calls, each as cpostgres_NAME. libpq is loaded when it is first needed: linked, it
// and its 22 libraries would cost a service with SQLite 1 MB of memory and 8 ms at each start. The types and numbers are
// those of libpq-fe.h, which are a stable interface.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

// The state of a connection.
enum { CPOSTGRES_OK = 0 };
// States of a result.
enum { CPOSTGRES_COMMAND_OK = 1, CPOSTGRES_TUPLES_OK = 2, CPOSTGRES_SINGLE_TUPLE = 9 };

#define CPOSTGRES_FUNCTIONS(X) \
    X(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expands), (names, values, expands)) \
    X(void, PQfinish, (PGconn *connection), (connection)) \
    X(int, PQstatus, (const PGconn *connection), (connection)) \
    X(char *, PQerrorMessage, (const PGconn *connection), (connection)) \
    X(PGresult *, PQexec, (PGconn *connection, const char *sql), (connection, sql)) \
    X(PGresult *, PQprepare, \
      (PGconn *connection, const char *name, const char *sql, int count, const unsigned *types), \
      (connection, name, sql, count, types)) \
    X(int, PQenterPipelineMode, (PGconn *connection), (connection)) \
    X(int, PQexitPipelineMode, (PGconn *connection), (connection)) \
    X(int, PQpipelineSync, (PGconn *connection), (connection)) \
    X(int, PQsendQueryPrepared, \
      (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, \
       const int *formats, int format), \
      (connection, name, count, values, lengths, formats, format)) \
    X(int, PQsetSingleRowMode, (PGconn *connection), (connection)) \
    X(PGresult *, PQgetResult, (PGconn *connection), (connection)) \
    X(int, PQresultStatus, (const PGresult *result), (result)) \
    X(char *, PQresultErrorMessage, (const PGresult *result), (result)) \
    X(char *, PQcmdTuples, (PGresult *result), (result)) \
    X(int, PQnfields, (const PGresult *result), (result)) \
    X(unsigned, PQftype, (const PGresult *result, int column), (result, column)) \
    X(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column)) \
    X(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column)) \
    X(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column)) \
    X(void, PQclear, (PGresult *result), (result)) \
    X(int, PQconsumeInput, (PGconn *connection), (connection)) \
    X(void *, PQnotifies, (PGconn *connection), (connection)) \
    X(void, PQfreemem, (void *memory), (memory))

// Loads libpq, and returns what is wrong; NULL if it can be called. To be called before any other function.
const char *cpostgres_load(void);

#define CPOSTGRES_DECLARE(Result, name, parameters, arguments) Result cpostgres_##name parameters;
CPOSTGRES_FUNCTIONS(CPOSTGRES_DECLARE)
#undef CPOSTGRES_DECLARE

#endif
