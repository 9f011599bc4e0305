// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Joining
import Platform

/// The paths of the broker's files, below `/etc/mosquitto`.
enum BrokerPath {
    static let main = "mosquitto.conf"
    static let members = "lockstep/members"
    static let passwords = "lockstep/passwd"
    static let access = "lockstep/acl"
    static let localPassword = "lockstep/local"
    static let address = "lockstep/address"
    static let lan = "lockstep/lan"
    static let separate = "lockstep/separate"
    static let before = "lockstep/before"
    static let lock = "lockstep/lock"
    static let authority = "lockstep/ca.crt"
    static let authorityKey = "lockstep/ca.key"
    static let certificate = "lockstep/server.crt"
    static let key = "lockstep/server.key"
    static func password(of member: String) -> String { "lockstep/\(member).join" }
}

/// A file of the broker's configuration, with its content and reader.
struct BrokerFile {
    /// The user that may read the file.
    enum Reader {
        /// Root alone, mode 0600.
        case root
        /// The user of mosquitto, who owns it with mode 0600.
        case broker
        /// Every user, mode 0644.
        case all
    }

    /// The path of the file, as those of ``BrokerPath``.
    var name: String
    var bytes: [UInt8]
    var reader: Reader

    init(_ name: String, _ text: String, for reader: Reader) { self.init(name, Array(text.utf8), for: reader) }

    init(_ name: String, _ bytes: [UInt8], for reader: Reader) {
        (self.name, self.bytes, self.reader) = (name, bytes, reader)
    }
}

/// The folder `/etc/mosquitto`.
struct BrokerFiles: Sendable {
    /// The largest file that is read, in bytes.
    static let limit = 1 << 20

    /// The folder that everything lies below, for tests, where files get no other owner; empty for this machine.
    let root: String

    var folder: String { root + "/etc/mosquitto" }
    /// Whether `lockstep broker setup` has set this machine up.
    var hasBroker: Bool { has(BrokerPath.passwords) }
    /// The user of mosquitto; below a folder for tests, that of this process.
    var user: String {
        root.isEmpty ? "mosquitto" : getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "root"
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
    func has(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

    // MARK: Reading

    func bytes(_ name: String) throws -> [UInt8]? {
        do {
            return try Files.read(path(name), limit: Self.limit)
        } catch let error where error.isMissing {
            return nil
        }
    }

    /// Reads a file as text. Throws for bytes that are not UTF-8, which would change when they are written again.
    func text(_ name: String) throws -> String? {
        guard let bytes = try bytes(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SetupError("\(path(name)) is not text in UTF-8; mend it, and repeat the command")
        }
        return text
    }

    func members() throws -> MemberList {
        try MemberList(
            members: text(BrokerPath.members) ?? "", at: path(BrokerPath.members),
            passwords: text(BrokerPath.passwords) ?? "")
    }

    func listener() throws -> BrokerListener {
        guard let listener = BrokerListener(try text(BrokerPath.address) ?? "") else {
            throw SetupError(
                "\(path(BrokerPath.address)) does not name an address; repeat lockstep broker setup with its options")
        }
        return listener
    }

    /// Returns the files of the configuration that mosquitto reads, but not that of Lockstep.
    func configuration() throws -> [ConfigurationFile] {
        var files: [ConfigurationFile] = []
        let included = (try? FileManager.default.contentsOfDirectory(atPath: path("conf.d"))) ?? []
        for name in [BrokerPath.main] + included.filter({ $0.hasSuffix(".conf") }).sorted().map({ "conf.d/" + $0 })
        where name != MosquittoConfiguration.name {
            if let bytes = try bytes(name) {
                files.append(ConfigurationFile(name: name, text: String(decoding: bytes, as: UTF8.self)))
            }
        }
        return files
    }

    // MARK: Writing

    /// Replaces or creates a file. It has its owner and mode from the first moment, and survives a power cut.
    func install(_ file: BrokerFile) throws {
        let path = path(file.name)
        try Files.makeDirectory(Files.folder(of: path), mode: 0o755)
        try Files.replace(
            path, mode: file.reader == .all ? 0o644 : 0o600, owner: file.reader == .broker ? owner : nil,
            with: file.bytes)
    }

    func remove(_ name: String) throws {
        guard unlink(path(name)) != 0, errno != ENOENT else { return }
        throw FileError(path: path(name), action: "remove")
    }

    private var owner: (user: uid_t, group: gid_t)? {
        guard root.isEmpty, let user = getpwnam("mosquitto") else { return nil }
        return (user.pointee.pw_uid, user.pointee.pw_gid)
    }

    /// Waits until no other command changes the members, and keeps others waiting until this process ends.
    ///
    /// Each command reads the files of the members, decides, and writes them again. Setup makes their folder; without
    /// it, there is nothing to read.
    func lock(makesFolder: Bool) async throws {
        let path = path(BrokerPath.lock)
        let deadline = SystemClock.bootMilliseconds() + 600_000
        while true {
            if makesFolder { try Files.makeDirectory(self.path("lockstep"), mode: 0o755) }
            guard has("lockstep") else { return }
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 || errno == ENOENT else { throw FileError(path: path, action: "open") }
            fchmod(file, 0o600)
            var (own, present) = (stat(), stat())
            // A setup that fails removes the file.
            if flock(file, LOCK_EX | LOCK_NB) == 0, fstat(file, &own) == 0, stat(path, &present) == 0,
                own.st_ino == present.st_ino
            {
                return
            }
            close(file)
            guard SystemClock.bootMilliseconds() < deadline else {
                throw SetupError("another command of the broker does not end: sudo fuser -v \(path)")
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Removes the folder of a first setup that has failed.
    func removeEmptyFolder() {
        guard (try? FileManager.default.contentsOfDirectory(atPath: path("lockstep"))) == ["lock"] else { return }
        unlink(path(BrokerPath.lock))
        rmdir(path("lockstep"))
    }
}
