// SPDX-License-Identifier: Apache-2.0

#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

// Headers of Linux that the event loop needs and Swift's Glibc module leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

// mosquitto_loop_read, which returns MOSQ_ERR_MALFORMED_PACKET for a packet with an unknown property. The client can
// then only be destroyed.
int cmosquitto_read(struct mosquitto *client);

#endif
