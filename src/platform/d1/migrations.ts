/**
 * The migrations that this code was written for, as `d1_migrations` names them, so that `doctor` can say which of them a
 * database lacks. A test compares the list with the folder. Pure.
 */
export const MIGRATIONS: readonly string[] = ['0001_schema.sql'];

/** Both Workers name it: where they differ, one of them is of an older version. */
export const NEWEST_MIGRATION = MIGRATIONS.at(-1) ?? '';
