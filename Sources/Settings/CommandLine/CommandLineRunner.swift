// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Glibc
import Session

/// Runs a command and ends the process with its exit code: 2 for a wrong command line or setting.
package enum CommandLineRunner {
    /// - Parameter arguments: `nil` for the arguments of the process.
    package static func run<Command: AsyncParsableCommand>(
        _ type: Command.Type, _ arguments: [String]? = nil
    ) async -> Never {
        // A write to a closed pipe must fail without ending the process. SIG_IGN would be inherited by programs that
        // this one runs; a handler is not.
        signal(SIGPIPE) { _ in }
        do {
            var command = try parse(type, arguments ?? ProcessArguments.all)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            exit(finishOutput(of: type._commandName))
        } catch let error where error is SettingError || error is UsageError {
            say("\(type._commandName): \(error)")
            exit(ExitStatus.usage.rawValue)
        } catch {
            switch type.exitCode(for: error) {
            case .success:
                print(type.fullMessage(for: error))
                exit(finishOutput(of: type._commandName))
            case .validationFailure:
                say(
                    type.fullMessage(for: error).replacing(
                        type._errorPrefix, with: "\(type._commandName): ", maxReplacements: 1))
                exit(ExitStatus.usage.rawValue)
            case let code:
                if !(error is ExitCode) { say("\(type._commandName): \(error)") }
                exit(code.rawValue)
            }
        }
    }

    /// Parses a subcommand by itself if the first argument names one. That is faster than parsing the tree of all
    /// commands. If it fails, the tree is parsed: its error names the whole command.
    private static func parse(
        _ type: any ParsableCommand.Type, _ arguments: [String]
    ) throws -> any ParsableCommand {
        let subcommand = type.configuration.subcommands.first { $0._commandName == arguments.first }
        if let command = try? subcommand?.parse(Array(arguments.dropFirst())) { return command }
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        try checkCommand(in: words, of: type, named: type._commandName)
        return try type.parseAsRoot(arguments)
    }

    /// Checks that the first words name a command, where one is needed.
    private static func checkCommand(
        in words: ArraySlice<String>, of type: any ParsableCommand.Type, named command: String
    ) throws(UsageError) {
        let subcommands = type.configuration.subcommands
        guard let word = words.first, !word.hasPrefix("-"), !subcommands.isEmpty else { return }
        if let subcommand = subcommands.first(where: { $0._commandName == word }) {
            return try checkCommand(in: words.dropFirst(), of: subcommand, named: "\(command) \(word)")
        }
        let similar = subcommands.map { $0._commandName }.names(like: word)
        throw UsageError(
            "there is no command “\(word)”; \(similar.map { "similar: \($0); " } ?? "")\(command) --help lists all")
    }

    /// Writes the rest of the output. Returns ``ExitStatus/failed`` if the output is incomplete, as on a full disk.
    private static func finishOutput(of name: String) -> Int32 {
        // A reader that has closed the pipe, such as `head`, has what it wants.
        guard fflush(nil) != 0, errno != EPIPE else { return ExitStatus.done.rawValue }
        say("\(name): the output is incomplete: \(String(cString: strerror(errno)))")
        return ExitStatus.failed.rawValue
    }

    /// Writes lines to stderr, without control characters that text from outside may hold.
    package static func say(_ text: String) {
        let bytes = Array((LineText.lines(showing: text) + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
