// Part of Usher. SPDX-License-Identifier: Apache-2.0

import Testing
import UsherWire

struct TopicTests {
    @Test(arguments: [
        ("user", Topic.user(1000), "user/1000"),
        ("user/0", .user(0), "user/0"),
        ("user/9223372036854775807", .user(.max), "user/9223372036854775807"),
        ("movies", .movies(.popular), "movies/popular"),
        ("movies/popular", .movies(.popular), "movies/popular"),
        ("movies/now_playing", .movies(.nowPlaying), "movies/now_playing"),
        ("movies/a/b", .movies("a/b"), "movies/a/b"),
        ("engine", .engine, "engine"),
    ])
    func `A topic has one canonical name`(text: String, topic: Topic, canonical: String) {
        #expect(Topic(text, ownUser: 1000) == topic)
        #expect(topic.description == canonical)
        #expect(Topic(canonical, ownUser: 1000) == topic)
    }

    @Test(arguments: [
        "", "/", "User", "USER", "user/", "user/-1", "user/+1", "user/01", "user/1 ", "user/a",
        "user/1/2", "user/9223372036854775808", "movies/", "movie", "engine/", "engine/1", " user",
        "user\0", "user/\u{661}", "user/1\u{301}",
    ])
    func `What is no topic is refused`(text: String) {
        #expect(Topic(text, ownUser: 1000) == nil)
    }
}
