#include <sqlite3.h>

/// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite copies what is bound before the call returns.
static inline sqlite3_destructor_type usher_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

/// Sets whether closing a connection leaves a write-ahead log where it is, by a call that Swift does not import since it
/// is variadic.
static inline int usher_sqlite_keep_log_on_close(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
