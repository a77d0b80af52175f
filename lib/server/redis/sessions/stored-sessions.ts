import 'server-only';
import { z } from 'zod';
import { ROLES } from '#lib/api/people/permission.ts';
import { addMs, epochMs, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { digest } from '../../digest.ts';
import type { Session, WhichSessions } from '../../ports/sessions.ts';
import { endOf, SESSION_ABSOLUTE_MS } from '../../session/session.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { isWrongType, setAside } from './set-aside.ts';

/** What was ended or rebound since a version. */
export interface SessionChanges {
  /** Another one after the store has lost everything. */
  readonly run: string;
  readonly version: number;
  /** Whether more may have changed than is said. */
  readonly isAll: boolean;
  readonly ended: readonly string[];
  readonly rebound: readonly string[];
}

const recordSchema = z.object({
  operatorId: z.string(),
  source: z.enum(['password', 'passkey', 'oidc']),
  person: z.object({ name: z.string(), role: z.enum(ROLES), issuer: z.string(), subject: z.string() }).nullable(),
  origin: z.object({ browser: z.string(), address: z.string(), isKept: z.boolean() }),
  signedInAt: z.number().transform(localInstant),
});
const fieldsSchema = z.tuple([z.string(), z.string().length(43), z.string().regex(/^\d{1,15}$/)]);

/** The store forgets by its own clock: so much later than we, whose clock decides. */
const SLACK_MS = HOUR_MS;
const INDEX_MS = SESSION_ABSOLUTE_MS + DAY_MS;
/** Of one operator; the one begun first ends for another. */
export const SESSIONS_OF_ONE_MAX = 500;
const CHANGES_MAX = 10_000;

const [META, CHANGED, ALL] = ['meta', 'changed', 'all'].map((part) => redisKey('sessions', part)) as [
  string,
  string,
  string,
];
const sessionKey = (key: string) => redisKey('session', key);
/** Digested: a name may be long, and need not be read by whoever sees keys. */
const ownerOf = (operatorId: string) => digest(operatorId);
const indexOf = (owner: string) => redisKey('sessions', 'of', owner);

/** `-KEY` has ended, `~KEY` goes on with another credential. What is deleted first can be noted also where memory is full. */
const NOTE = `
local function note(meta, changed, member)
  redis.call('HSETNX', meta, 'run', 'begun by a change')
  local version = redis.call('HINCRBY', meta, 'version', 1)
  redis.call('ZADD', changed, version, member)
  if redis.call('ZCARD', changed) > ${CHANGES_MAX} then redis.call('HSET', meta, 'floor', redis.call('ZPOPMIN', changed)[2]) end
  redis.call('PEXPIRE', meta, ${INDEX_MS})
  redis.call('PEXPIRE', changed, ${INDEX_MS})
end
local function finish(key, owner)
  redis.call('DEL', '${sessionKey('')}' .. key)
  redis.call('ZREM', '${ALL}', key)
  redis.call('ZREM', '${indexOf('')}' .. owner, key)
  note('${META}', '${CHANGED}', '-' .. key)
end
local function owner_of(key)
  local owner = redis.pcall('HGET', '${sessionKey('')}' .. key, 'owner')
  return type(owner) == 'string' and owner or nil
end`;

/** ARGV: key, owner, record, credential, seen, time to live, end, run, now. */
const OPEN = redisScript(`${NOTE}
local key, owner = ARGV[1], ARGV[2]
redis.call('HSET', KEYS[1], 'record', ARGV[3], 'credential', ARGV[4], 'seen', ARGV[5], 'owner', owner)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('HSETNX', '${META}', 'run', ARGV[8])
redis.call('PEXPIRE', '${META}', ${INDEX_MS})
for _, index in ipairs({'${ALL}', KEYS[2]}) do
  redis.call('ZREMRANGEBYSCORE', index, '-inf', ARGV[9])
  redis.call('ZADD', index, ARGV[7], key)
  redis.call('PEXPIRE', index, ${INDEX_MS})
end
while redis.call('ZCARD', KEYS[2]) > ${SESSIONS_OF_ONE_MAX} do
  finish(redis.call('ZRANGE', KEYS[2], 0, 0)[1], owner)
end`);

/** ARGV: owner, except, and the keys, or none for all of the index. The answer has the keys that were ended. */
const END = redisScript(`${NOTE}
local keys, ended = {}, {}
for index = 3, #ARGV do keys[#keys + 1] = ARGV[index] end
if #keys == 0 then keys = redis.call('ZRANGE', KEYS[1], 0, -1) end
for _, key in ipairs(keys) do
  local owner = key ~= ARGV[2] and owner_of(key)
  if owner and (ARGV[1] == '' or ARGV[1] == owner) then
    finish(key, owner)
    ended[#ended + 1] = key
  end
end
return ended`);

/** ARGV: the key, and the credential that it must have. */
const DROP = redisScript(`${NOTE}
local owner = owner_of(ARGV[1])
if not owner or redis.call('HGET', KEYS[1], 'credential') ~= ARGV[2] then return 0 end
finish(ARGV[1], owner)
return 1`);

const LIST = redisScript(`
local found = {}
for _, key in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local name = '${sessionKey('')}' .. key
  local fields = redis.pcall('HMGET', name, 'record', 'credential', 'seen')
  if fields.err or fields[1] then found[#found + 1] = {key, fields.err and {} or fields} else redis.call('ZREM', KEYS[1], key) end
end
return found`);

/** Never makes anew what has ended. */
const TOUCH = redisScript(`
for index, key in ipairs(KEYS) do
  local text = redis.pcall('HGET', key, 'seen')
  local seen = type(text) == 'string' and tonumber(text)
  if seen and seen < tonumber(ARGV[2 * index - 1]) then
    redis.call('HSET', key, 'seen', ARGV[2 * index - 1])
    redis.call('PEXPIRE', key, ARGV[2 * index])
  end
end`);

const REBIND = redisScript(`${NOTE}
if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('HSET', KEYS[1], 'credential', ARGV[2])
note('${META}', '${CHANGED}', '~' .. ARGV[1])`);

const CHANGES = redisScript(`
local meta = redis.call('HMGET', KEYS[1], 'run', 'version', 'floor')
local run, version, since = meta[1] or '', tonumber(meta[2] or 0), tonumber(ARGV[2])
if run ~= ARGV[1] or since < tonumber(meta[3] or 0) or since > version then return {run, version, 1, {}} end
if version == since then return {run, version, 0, {}} end
return {run, version, 0, redis.call('ZRANGE', KEYS[2], '(' .. ARGV[2], '+inf', 'BYSCORE')}`);

/** The sessions in the store. Every method throws `RedisFailure`; what was to be written may be written where it `isUnknown`. */
export class StoredSessions {
  readonly #connection: Pick<RedisConnection, 'send' | 'run'>;
  readonly #onUnreadable: (key: string, setAsideAs: string) => void;

  constructor(
    connection: Pick<RedisConnection, 'send' | 'run'>,
    onUnreadable: (key: string, setAsideAs: string) => void,
  ) {
    this.#connection = connection;
    this.#onUnreadable = onUnreadable;
  }

  /** @param run names what is begun, where there is nothing */
  async open(session: Session, run: string): Promise<void> {
    const { key, operatorId, source, person, origin, signedInAt, seenAt, credentialDigest } = session;
    const owner = ownerOf(operatorId);
    const record = JSON.stringify({ operatorId, source, person, origin, signedInAt: epochMs(signedInAt) });
    const times = [epochMs(seenAt), ttlMs(session), epochMs(addMs(signedInAt, SESSION_ABSOLUTE_MS))].map(String);
    const args = [key, owner, record, credentialDigest, ...times, run, String(epochMs(seenAt))];
    await this.#connection.run(OPEN, [sessionKey(key), indexOf(owner)], args);
  }

  async read(key: string): Promise<Session | undefined> {
    try {
      const fields = await this.#connection.send(['HMGET', sessionKey(key), 'record', 'credential', 'seen']);
      return await this.#session(key, fields as readonly (string | null)[]);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      return this.#session(key, ['']);
    }
  }

  async list(operatorId?: string): Promise<readonly Session[]> {
    const index = operatorId === undefined ? ALL : indexOf(ownerOf(operatorId));
    const found = (await this.#connection.run(LIST, [index], [])) as [string, (string | null)[]][];
    const sessions = await Promise.all(found.map(([key, fields]) => this.#session(key, fields)));
    return sessions.filter((session) => session !== undefined);
  }

  /** @returns the keys of those that were ended */
  async end({ key, operatorId, except }: WhichSessions): Promise<readonly string[]> {
    const owner = operatorId === undefined ? '' : ownerOf(operatorId);
    const index = operatorId === undefined ? ALL : indexOf(owner);
    const keys = key === undefined ? [] : [key];
    return (await this.#connection.run(END, [index], [owner, except ?? '', ...keys])) as string[];
  }

  /** @returns whether it was ended: it may be gone, or have another credential */
  async drop({ key, credentialDigest }: Pick<Session, 'key' | 'credentialDigest'>): Promise<boolean> {
    return (await this.#connection.run(DROP, [sessionKey(key)], [key, credentialDigest])) === 1;
  }

  async endAgain(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#connection.run(END, [ALL], ['', '', ...keys]);
  }

  async touch(sessions: readonly Session[]): Promise<void> {
    const args = sessions.flatMap((session) => [epochMs(session.seenAt), ttlMs(session)].map(String));
    await this.#connection.run(
      TOUCH,
      sessions.map(({ key }) => sessionKey(key)),
      args,
    );
  }

  async rebind(key: string, credentialDigest: string): Promise<void> {
    await this.#connection.run(REBIND, [sessionKey(key)], [key, credentialDigest]);
  }

  async changes(run: string, since: number): Promise<SessionChanges> {
    const answer = await this.#connection.run(CHANGES, [META, CHANGED], [run, String(since)]);
    const [newRun, version, isAll, members] = answer as [string, number, number, string[]];
    const of = (mark: string) => members.filter((each) => each.startsWith(mark)).map((each) => each.slice(1));
    return { run: newRun, version, isAll: isAll === 1, ended: of('-'), rebound: of('~') };
  }

  async #session(key: string, fields: readonly (string | null)[]): Promise<Session | undefined> {
    if (fields.length === 3 && fields.every((field) => field === null)) return undefined;
    const read = fieldsSchema.safeParse(fields).data;
    const record = recordSchema.safeParse(read && json(read[0])).data;
    if (read && record) return { key, ...record, credentialDigest: read[1], seenAt: localInstant(Number(read[2])) };
    this.#onUnreadable(sessionKey(key), await setAside(this.#connection, sessionKey(key)));
    return undefined;
  }
}

/** How long the store keeps it, if it is not used again. */
function ttlMs(session: Session): number {
  return epochMs(endOf(session)) - epochMs(session.seenAt) + SLACK_MS;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
