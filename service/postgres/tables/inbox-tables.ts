/** `at` is ms since 1970, by the database's clock. The bytes are compressed already. */
export const INBOX_TABLES: readonly string[] = [
  `create table lookout.fix_inbox (
    id bigint generated always as identity primary key,
    at bigint not null,
    fixes int not null,
    bytes bytea not null
  )`,
  'alter table lookout.fix_inbox alter column bytes set storage external',
];
