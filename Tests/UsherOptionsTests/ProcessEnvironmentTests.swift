// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import UsherOptions

/// In one test, since the environment is the process's.
struct ProcessEnvironmentTests {
    @Test func `Variables are read as they are now, with whatever signs are in their values`() {
        let name = "USHER_TEST_ENVIRONMENT"
        let before = ProcessEnvironment.variables
        #expect(before[name] == nil)
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) }
        #expect(before["PATH"] == path)
        for value in ["", "a=b=", " \n\t", "\u{301}é中", "x"] {
            #expect(unsafe setenv(name, value, 1) == 0)
            #expect(ProcessEnvironment.variables[name] == value)
        }
        #expect(unsafe setenv(name, [CChar(bitPattern: 0xFF), 0x61, 0], 1) == 0)
        #expect(ProcessEnvironment.variables[name] == "\u{FFFD}a")
        #expect(unsafe unsetenv(name) == 0)
        #expect(ProcessEnvironment.variables == before)
    }
}
