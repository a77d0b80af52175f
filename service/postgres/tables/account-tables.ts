/** Instants are ms since 1970, days and minutes are numbered since then. */
export const ACCOUNT_TABLES: readonly string[] = [
  `create table lookout.account (
    id bigint generated always as identity primary key,
    name text not null,
    folded_name text not null unique,
    created_at bigint not null,
    per_minute bigint not null check (per_minute > 0),
    per_day bigint not null check (per_day > 0),
    email text,
    email_verified_at bigint,
    email_code bytea,
    email_code_until bigint,
    grant_state text not null check (grant_state in ('none', 'active', 'revoked')),
    grant_scopes text not null,
    grant_lookback_days int not null check (grant_lookback_days between 1 and 30),
    grant_until bigint,
    grant_decided_at bigint,
    grant_company text,
    grant_purpose text,
    grant_noticed_days int,
    request_scopes text,
    request_lookback_days int check (request_lookback_days between 1 and 30),
    request_until bigint,
    request_company text,
    request_purpose text,
    requested_at bigint
  )`,
  'create index account_grant_until on lookout.account (grant_until) where grant_until is not null',
  `create table lookout.api_key (
    id bigint generated always as identity primary key,
    account bigint not null references lookout.account on delete cascade,
    name text not null,
    folded_name text not null,
    digest bytea not null unique check (length(digest) = 32),
    starts_with text not null,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint,
    replaced_at bigint,
    last_used_at bigint,
    noticed_days int
  )`,
  'create index api_key_account on lookout.api_key (account)',
  'create index api_key_expires_at on lookout.api_key (expires_at)',
  // Rows that change with every request leave room for it in their page, so that no index changes.
  `create table lookout.spent_in_day (
    account bigint references lookout.account on delete cascade,
    day int,
    n bigint not null,
    primary key (account, day)
  ) with (fillfactor = 50)`,
  `create table lookout.spent_in_minute (
    account bigint primary key references lookout.account on delete cascade,
    minute bigint not null,
    n bigint not null
  ) with (fillfactor = 50)`,
  `create table lookout.audit (
    id bigint generated always as identity primary key,
    at bigint not null,
    by text not null,
    act text not null,
    account text not null,
    folded_account text not null,
    details text not null
  )`,
  'create index audit_account on lookout.audit (folded_account)',
  // Spends up to `wanted` requests. The row of the minute is locked first: whoever spends of the same account waits for it, and reads
  // the clock afterwards. No row is returned for an account that is removed. The minute resets only when a later one begins; a clock set
  // back by more than a minute keeps the count, which ends with the minute that it shows now. Old days are forgotten by their number
  // and not by the date: a clock that is wrong for a while must not take away what was counted.
  `create function lookout.spend(of_account bigint, per_minute bigint, per_day bigint, wanted bigint, at_ms bigint)
    returns table (granted bigint, at bigint, minute bigint, in_minute bigint, in_day bigint)
    language plpgsql as $$
    declare
      day_now int;
      minute_now bigint;
      minute_before bigint;
    begin
      select s.minute, s.n into minute, in_minute from lookout.spent_in_minute s where s.account = of_account for update;
      if not found then
        insert into lookout.spent_in_minute select a.id, 0, 0 from lookout.account a where a.id = of_account on conflict do nothing;
        select s.minute, s.n into minute, in_minute from lookout.spent_in_minute s where s.account = of_account for update;
        if not found then
          return;
        end if;
      end if;
      at := coalesce(at_ms, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
      day_now := at / 86400000;
      minute_now := at / 60000;
      minute_before := minute;
      if minute_now > minute then
        minute := minute_now;
        in_minute := 0;
      elsif minute_now < minute - 1 then
        minute := minute_now;
      end if;
      select coalesce(max(s.n), 0) into in_day from lookout.spent_in_day s where s.account = of_account and s.day = day_now;
      granted := greatest(0, least(wanted, per_day - in_day, per_minute - in_minute));
      if granted > 0 and in_day = 0 then
        delete from lookout.spent_in_day s where s.account = of_account and s.day <= (
          select d.day from lookout.spent_in_day d where d.account = of_account order by d.day desc offset 7 limit 1);
      end if;
      in_minute := in_minute + granted;
      in_day := in_day + granted;
      if granted > 0 then
        insert into lookout.spent_in_day as s values (of_account, day_now, granted)
          on conflict (account, day) do update set n = s.n + excluded.n;
      end if;
      if granted > 0 or minute <> minute_before then
        update lookout.spent_in_minute s set minute = spend.minute, n = spend.in_minute where s.account = of_account;
      end if;
      return next;
    end $$`,
];
