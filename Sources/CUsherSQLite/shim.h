#include <sqlite3.h>

/// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite copies what is bound before the call returns.
static inline sqlite3_destructor_type usher_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}
