import 'server-only';
import type { Logger } from 'pino';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { SessionSecret } from '../../ports/session-secret.ts';
import { SharedStoreFailure } from '../../ports/shared-store-failure.ts';
import { isSessionSecret, newSessionSecret } from '../../session/session-secret.ts';
import { orRefuse } from '../../shared-store-refusal.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { redisKey } from '../connection/redis-keys.ts';
import { redisScript } from '../connection/redis-script.ts';
import { isWrongType, setAside } from './set-aside.ts';

export interface RedisSessionSecretOptions {
  readonly connection: Pick<RedisConnection, 'run'>;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
}

const KEY = redisKey('session-secret');
const CHECK_EVERY_MS = SECOND_MS;

/** Reads also where memory is full. */
const KEEP = redisScript(`
local kept = redis.call('GET', KEYS[1])
if kept then return kept end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]`);

/**
 * The secret that several servers share. Each offers its own once a second: a store that lost it gets it back from whoever asks first, and the
 * others take that one over.
 */
export class RedisSessionSecret implements SessionSecret {
  readonly #options: RedisSessionSecretOptions;
  readonly #made = newSessionSecret();
  #cached: string | undefined;
  #checkedAt: LocalInstant | undefined;
  #checking: Promise<string> | undefined;

  constructor(options: RedisSessionSecretOptions) {
    this.#options = options;
  }

  /** While the store does not answer, the one that was read last. */
  async current(): Promise<string> {
    const now = this.#options.now();
    const isRecent = this.#checkedAt !== undefined && Math.abs(msBetween(this.#checkedAt, now)) < CHECK_EVERY_MS;
    if (this.#cached !== undefined && isRecent) return this.#cached;
    this.#checking ??= this.#check(now).finally(() => {
      this.#checking = undefined;
    });
    return orRefuse(this.#checking);
  }

  async #check(now: LocalInstant): Promise<string> {
    try {
      this.#cached = await this.#kept();
    } catch (error) {
      if (this.#cached === undefined || !(error instanceof SharedStoreFailure)) throw error;
    }
    this.#checkedAt = now;
    return this.#cached;
  }

  /** @throws SharedStoreFailure */
  async #kept(): Promise<string> {
    const { connection, log } = this.#options;
    const own = this.#cached ?? this.#made;
    const read = () => connection.run(KEEP, [KEY], [own]) as Promise<string>;
    const kept = await read().catch((error: unknown) => {
      if (isWrongType(error)) return '';
      throw error;
    });
    if (isSessionSecret(kept)) return kept;
    log.warn({ key: KEY, set_aside_as: await setAside(connection, KEY) }, 'an unreadable session secret was set aside');
    return read();
  }
}
