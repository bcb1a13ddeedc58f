// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import UsherDaemon

struct FolderTests {
    @Test func `A folder has the names in it, hidden ones too, and not itself`() throws {
        let folder = try temporaryFolder()
        #expect(Folder.names(in: folder.path) == [])
        let long = String(repeating: "x", count: 255)
        for name in ["b", ".a", "é中", long] {
            try Data().write(to: folder.appending(path: name))
        }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "c"), withIntermediateDirectories: false)
        #expect(Folder.names(in: folder.path)?.sorted() == [".a", "b", "c", long, "é中"])
    }

    @Test func `What is no folder has no names`() throws {
        let folder = try temporaryFolder()
        try Data().write(to: folder.appending(path: "file"))
        #expect(Folder.names(in: folder.path + "/file") == nil)
        #expect(Folder.names(in: folder.path + "/missing") == nil)
        #expect(Folder.names(in: "") == nil)
    }
}
