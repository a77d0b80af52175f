/**
 * Instants are ms since 1970. The bytes of frames and segments are those of the files of one machine; they are stored as they are, since
 * they are compressed already and a part of them is read without the rest.
 */
export const PAST_TABLES: readonly string[] = [
  // `term` is the number of who recorded last; `heartbeat_at` is when it last said that it does.
  `create table lookout.past (
    id int primary key check (id = 1),
    term bigint not null,
    heartbeat_at bigint,
    kept_since bigint
  ) with (fillfactor = 50)`,
  'insert into lookout.past (id, term) values (1, 0)',
  `create table lookout.past_frame (
    id bigint generated always as identity primary key,
    layer text not null,
    start bigint not null,
    bytes bytea not null
  )`,
  'alter table lookout.past_frame alter column bytes set storage external',
  `create table lookout.past_segment (
    seq bigint generated always as identity unique,
    layer text not null,
    start bigint not null,
    size bigint not null,
    count bigint not null,
    first_ms int not null,
    last_ms int not null,
    west int not null,
    south int not null,
    east int not null,
    north int not null,
    primary key (start, layer)
  )`,
  // Never has a row: the tables of the days are made like it.
  `create table lookout.past_day (
    layer text not null,
    start bigint not null,
    bytes bytea not null,
    primary key (start, layer)
  )`,
  'alter table lookout.past_day alter column bytes set storage external',
];

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
