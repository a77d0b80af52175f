import 'server-only';
import type { SavedFleetLedger } from '../allowance/fleet-ledger.ts';
import { savedFleetLedgerSchema } from '../allowance/saved-ledger-schema.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { redisKey } from './connection/redis-keys.ts';
import { redisScript } from './connection/redis-script.ts';

/** The ledger as it is in the store. */
export interface StoredLedger {
  /** Another one after each write; empty where there is none. */
  readonly stamp: string;
  /** `undefined` where there is none, or one that cannot be read. */
  readonly saved: SavedFleetLedger | undefined;
  readonly isUnreadable: boolean;
}

/** How long something that could not be read is kept for whoever wants to know why. */
const SET_ASIDE_MS = 7 * 86_400_000;

/** Writes if nobody has written since the stamp was read. Otherwise the answer is what is there. */
const REPLACE_LEDGER = redisScript(`
local found = redis.call('HMGET', KEYS[1], 'stamp', 'text')
if (found[1] or '') ~= ARGV[1] then return found end
redis.call('HSET', KEYS[1], 'stamp', ARGV[2], 'text', ARGV[3])
return 1`);

/** Only what was read, as another replica may have set it aside and begun anew. */
const SET_ASIDE = redisScript(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 0 end
if kind == 'hash' and (redis.call('HGET', KEYS[1], 'stamp') or '') ~= ARGV[1] then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`);

/** One account's ledger: a text that is read as a whole and replaced as a whole. */
export class LedgerStore {
  readonly key: string;
  readonly #connection: Pick<RedisConnection, 'send' | 'run'>;

  /** @param account names the upstream account in keys */
  constructor(connection: Pick<RedisConnection, 'send' | 'run'>, account: string) {
    this.#connection = connection;
    this.key = redisKey('ledger', account);
  }

  /** @throws RedisFailure */
  async read(): Promise<StoredLedger> {
    try {
      return stored(await this.#connection.send(['HMGET', this.key, 'stamp', 'text']));
    } catch (error) {
      if (!isWrongType(error)) throw error;
      return { stamp: '', saved: undefined, isUnreadable: true };
    }
  }

  /** @returns what is there, where that is not what was read any more. @throws RedisFailure; it may be written where `isUnknown` */
  async replace(stamp: string, next: string, saved: SavedFleetLedger): Promise<StoredLedger | undefined> {
    const answer = await this.#connection.run(REPLACE_LEDGER, [this.key], [stamp, next, JSON.stringify(saved)]);
    return answer === 1 ? undefined : stored(answer);
  }

  /** @returns the key under which it is kept for a week. @throws RedisFailure */
  async setAside(stamp: string, name: string): Promise<string> {
    const aside = redisKey('unreadable', name);
    await this.#connection.run(SET_ASIDE, [this.key, aside], [stamp, String(SET_ASIDE_MS)]);
    return aside;
  }
}

function stored(answer: unknown): StoredLedger {
  const [stamp, text] = answer as [string | null, string | null];
  if (stamp === null && text === null) return { stamp: '', saved: undefined, isUnreadable: false };
  const saved = parsed(text ?? '');
  return { stamp: stamp ?? '', saved, isUnreadable: saved === undefined };
}

function parsed(text: string): SavedFleetLedger | undefined {
  try {
    return savedFleetLedgerSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.includes('WRONGTYPE');
}
