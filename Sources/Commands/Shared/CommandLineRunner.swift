// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Glibc
import Shell

/// Runs a command and ends the process with an exit code that means something: 2 for whatever was said wrongly.
public enum CommandLineRunner {
    /// Parses the command line, runs the command and exits.
    public static func run<Command: AsyncParsableCommand>(_ type: Command.Type) async -> Never {
        do {
            var command = try type.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            exit(0)
        } catch let error as SettingError {
            say("\(type._commandName): \(error)")
            exit(2)
        } catch let error as UsageError {
            say("\(type._commandName): \(error)")
            exit(2)
        } catch {
            switch type.exitCode(for: error) {
            case .success:
                print(type.fullMessage(for: error))
                exit(0)
            case .validationFailure:
                say(type.fullMessage(for: error))
                exit(2)
            case let code:
                if !(error is ExitCode) { say("\(type._commandName): \(error)") }
                exit(code.rawValue)
            }
        }
    }

    /// Writes a line to stderr.
    public static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// A value on the command line that cannot be used: what is wrong and what would be right.
public struct UsageError: Error, CustomStringConvertible {
    /// The sentence.
    public var description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}
