// Part of Usher. SPDX-License-Identifier: Apache-2.0

import UsherWire

/// The schemas of results and events as `rpc.discover` gives them, in JSON Schema draft 7.
///
/// They say what is promised and leave the rest open: a later version may add members to any object.
enum DiscoverySchema {
    /// A schema and its name.
    struct Named: Sendable {
        let name: String
        /// On one line.
        let json: String

        init(_ name: String, _ json: String) {
            self.name = name
            self.json = onOneLine(json)
        }
    }

    static let all: [Named] = session + users + movies + subscriptions

    /// The notifications that the daemon sends, described as OpenRPC describes methods.
    static let events = onOneLine(
        ##"""
        [{"name":"event",
          "summary":"A topic that this connection subscribed to has changed.",
          "paramStructure":"by-name",
          "params":[
            {"name":"as","required":true,"schema":{"type":"string"},
             "summary":"The subscription's name."},
            {"name":"topic","required":true,"schema":{"$ref":"#/components/schemas/Topic"},
             "summary":"The topic's canonical name."},
            {"name":"cursor","required":true,"schema":{"$ref":"#/components/schemas/Cursor"},
             "summary":"Where the subscription is after this push."},
            {"name":"prev","required":true,"schema":{"$ref":"#/components/schemas/Cursor"},
             "summary":"The cursor that this subscription got last."},
            {"name":"data","required":true,
             "schema":{"anyOf":[
               {"$ref":"#/components/schemas/UserState"},
               {"$ref":"#/components/schemas/MoviesChange"},
               {"$ref":"#/components/schemas/EngineEvent"}]},
             "summary":"The state, or the list's change, or the engine's step."},
            {"name":"skipped","required":false,"schema":{"type":"integer","minimum":1},
             "summary":"How many transitions were left out before this one."},
            {"name":"gap","required":false,"schema":{"type":"boolean","const":true},
             "summary":"Mode all lost transitions that the topic no longer remembers."},
            {"name":"more","required":false,"schema":{"type":"boolean","const":true},
             "summary":"Chunks follow; prev stays the cursor until the last one."}]},
         {"name":"health",
          "summary":"The store cannot be written any more, or can again; for connections that subscribed.",
          "paramStructure":"by-name",
          "params":[
            {"name":"degraded","required":true,"schema":{"type":"boolean"},
             "summary":"Whether changes are refused at present."}]}]
        """##)

    private static func onOneLine(_ json: String) -> String {
        json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
    }

    private static var statistics: String {
        var writer = JSONWriter()
        writer.statisticsSchema(StatisticsMember.all)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let session: [Named] = [
        Named("Empty", ##"{"type":"object"}"##),
        Named(
            "Hello",
            ##"""
            {"type":"object",
             "required":["server","protocol","epoch","role","user","limits","features"],
             "properties":{
               "server":{"type":"object","required":["name","version"],
                 "properties":{"name":{"type":"string"},"version":{"type":"string"}}},
               "protocol":{"type":"integer","const":1},
               "epoch":{"type":"string","pattern":"^[0-9a-f]{16}$"},
               "role":{"type":"string","enum":["read","control","admin"]},
               "user":{"type":"integer","minimum":0},
               "limits":{"$ref":"#/components/schemas/Counters"},
               "features":{"type":"array","items":{"type":"string"}},
               "degraded":{"type":"boolean","const":true},
               "evicted":{"type":"object","required":["reason","at_uptime_ms"],
                 "description":"How the client's former connection was cut off, told once.",
                 "properties":{
                   "reason":{"enum":["stalled","stalled_when_full","partial_line"]},
                   "at_uptime_ms":{"type":"integer","minimum":0}}}}}
            """##
        ),
        Named(
            "Help",
            ##"""
            {"type":"object","required":["lines"],
             "properties":{"lines":{"type":"array","items":{"type":"string"}}}}
            """##
        ),
        Named(
            "OpenRPC",
            ##"""
            {"type":"object","required":["openrpc","info","methods","components"],
             "properties":{
               "openrpc":{"type":"string"},
               "info":{"type":"object","required":["title","version"]},
               "methods":{"type":"array","items":{"type":"object","required":["name","params"]}},
               "components":{"type":"object","required":["schemas","errors"]}}}
            """##
        ),
        Named(
            "Ping",
            ##"""
            {"type":"object","required":["uptime_ms"],
             "properties":{"uptime_ms":{"type":"integer","minimum":0}}}
            """##
        ),
        Named("Counters", ##"{"type":"object","additionalProperties":{"type":"integer"}}"##),
        Named("Stats", statistics),
        Named(
            "Clients",
            ##"""
            {"type":"object","required":["items","offset","total","next"],
             "properties":{
               "items":{"type":"array","items":{"type":"object",
                 "required":["pid","uid","unsent_bytes","in_flight","role","name","topics","behind"],
                 "properties":{"pid":{"type":"integer"},"uid":{"type":"integer"},
                   "unsent_bytes":{"type":"integer"},"in_flight":{"type":"integer"},
                   "role":{"type":"string","enum":["read","control","admin"]},
                   "name":{"type":["string","null"]},
                   "topics":{"type":"array","items":{"$ref":"#/components/schemas/Topic"}},
                   "behind":{"type":"integer"}}}},
               "offset":{"type":"integer"},"total":{"type":"integer"},
               "next":{"type":["integer","null"]}}}
            """##
        ),
    ]

    private static let users: [Named] = [
        Named("Cursor", ##"{"type":"string","pattern":"^[0-9a-f]{16}:(0|[1-9][0-9]*)$"}"##),
        Named(
            "User",
            ##"""
            {"type":"object","required":["user","state","cursor"],
             "properties":{
               "user":{"type":"integer","minimum":0},
               "state":{"$ref":"#/components/schemas/UserState"},
               "cursor":{"$ref":"#/components/schemas/Cursor"},
               "degraded":{"type":"boolean","const":true}}}
            """##
        ),
        Named(
            "UserState",
            ##"""
            {"oneOf":[
              {"type":"object","required":["state"],
               "properties":{"state":{"type":"string","enum":["initial","loading"]}}},
              {"type":"object","required":["state","user"],
               "properties":{"state":{"type":"string","const":"loaded"},
                 "user":{"type":"object","required":["id","name","username","phone"],
                   "properties":{"id":{"type":"integer","minimum":0},"name":{"type":"string"},
                     "username":{"type":"string"},"phone":{"type":["string","null"]}}}}},
              {"type":"object","required":["state","message"],
               "properties":{"state":{"type":"string","const":"error"},
                 "message":{"type":"string"}}}]}
            """##
        ),
    ]

    private static let movies: [Named] = [
        Named(
            "Movie",
            ##"""
            {"type":"object","required":["id","title"],
             "properties":{
               "id":{"type":"integer","minimum":1},"title":{"type":"string"},
               "original_title":{"type":"string"},"original_language":{"type":"string"},
               "overview":{"type":"string"},"release_date":{"type":"string"},
               "poster_path":{"type":"string"},"backdrop_path":{"type":"string"},
               "genre_ids":{"type":"array","items":{"type":"integer"}},
               "popularity":{"type":"number"},"vote_average":{"type":"number"},
               "vote_count":{"type":"integer"},"adult":{"type":"boolean"},
               "video":{"type":"boolean"}}}
            """##
        ),
        Named(
            "MovieListStatus",
            ##"""
            {"type":"object","required":["phase","page","pages","total","complete"],
             "properties":{
               "phase":{"type":"string","enum":["idle","loading","error"]},
               "message":{"type":"string"},
               "page":{"type":"integer","minimum":0},"pages":{"type":"integer","minimum":0},
               "total":{"type":"integer","minimum":0},"complete":{"type":"boolean"}}}
            """##
        ),
        Named(
            "Movies",
            ##"""
            {"type":"object",
             "required":["list","offset","items","next","total","complete","status","cursor"],
             "properties":{
               "list":{"type":"string"},"offset":{"type":"integer","minimum":0},
               "items":{"type":"array","items":{"$ref":"#/components/schemas/Movie"}},
               "next":{"type":["integer","null"]},"total":{"type":"integer","minimum":0},
               "complete":{"type":"boolean"},
               "status":{"$ref":"#/components/schemas/MovieListStatus"},
               "cursor":{"$ref":"#/components/schemas/Cursor"},
               "degraded":{"type":"boolean","const":true}}}
            """##
        ),
        Named(
            "MoviesStatus",
            ##"""
            {"type":"object","required":["list","status","cursor"],
             "properties":{
               "list":{"type":"string"},
               "status":{"$ref":"#/components/schemas/MovieListStatus"},
               "cursor":{"$ref":"#/components/schemas/Cursor"},
               "degraded":{"type":"boolean","const":true}}}
            """##
        ),
        Named(
            "MoviesChange",
            ##"""
            {"type":"object","required":["op","at","items","status"],
             "properties":{
               "op":{"type":"string","enum":["append","reset"]},
               "at":{"type":"integer","minimum":0},
               "items":{"type":"array","items":{"$ref":"#/components/schemas/Movie"}},
               "status":{"$ref":"#/components/schemas/MovieListStatus"}}}
            """##
        ),
    ]

    private static let subscriptions: [Named] = [
        Named(
            "Topic",
            ##"{"type":"string","pattern":"^(user/(0|[1-9][0-9]*)|movies/.+|engine)$"}"##
        ),
        Named(
            "EngineEvent",
            ##"""
            {"type":"object","required":["event","phase"],
             "properties":{
               "event":{"type":"string","enum":["create","start","reload","stop","degrade","recover"]},
               "phase":{"type":"string","enum":["will","did"]},
               "reason":{"type":"string"},
               "reconnect_after_ms":{"type":"integer","minimum":0}}}
            """##
        ),
        Named(
            "Subscription",
            ##"""
            {"type":"object","required":["as","topic","cursor","recovered"],
             "properties":{
               "as":{"type":"string"},
               "topic":{"$ref":"#/components/schemas/Topic"},
               "cursor":{"$ref":"#/components/schemas/Cursor"},
               "recovered":{"type":"boolean"},
               "reason":{"type":"string",
                 "enum":["no_cursor","epoch_changed","list_reset","ahead","too_old"]},
               "snapshot":{"anyOf":[
                 {"$ref":"#/components/schemas/UserState"},
                 {"$ref":"#/components/schemas/MoviesChange"},
                 {"$ref":"#/components/schemas/EngineEvent"},
                 {"type":"null"}]},
               "more":{"type":"boolean","const":true},
               "degraded":{"type":"boolean","const":true}}}
            """##
        ),
    ]
}
