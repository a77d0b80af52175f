import 'server-only';
import type { Logger } from 'pino';
import type { LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { endsConnection, isScriptMissing, RedisFailure, type RedisProblem } from './redis-failure.ts';
import { type RedisArgument, RedisLink } from './redis-link.ts';
import type { RedisScript } from './redis-script.ts';
import { addressText, currentPassword, type RedisAddress, type RedisTarget, targetText } from './redis-target.ts';
import { Sentinels } from './sentinels.ts';
import { readClusterNodes, readServerInfo, requireUpstream, type ServerInfo } from './server-info.ts';

const COMMAND_TIMEOUT_MS = SECOND_MS;
const RETRY_MIN_MS = 50;
/** With the time of an attempt, less than a new ledger waits for those who have requests under way. */
const RETRY_MAX_MS = 500;
const SENTINELS_ASKED_EVERY_MS = SECOND_MS;
const NO_PRIMARY = 'the server is a replica: write the address of the primary, or of Sentinels';

export type RedisState =
  /** `server`: the run of the server that answers; another one may know less. */
  | { readonly kind: 'reachable'; readonly since: LocalInstant; readonly server: string }
  | { readonly kind: 'lost'; readonly since: LocalInstant; readonly problem: RedisProblem; readonly reason: string };

export interface RedisConnectionOptions {
  readonly now: () => LocalInstant;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** For each command, and for each step of connecting. */
  readonly timeoutMs?: number;
  /** Names the upstream: what is known of another one's is left alone. Without it, that is not looked at. */
  readonly upstream?: string;
}

/** Since the start of the process, for metrics. */
export interface RedisCounts {
  commands: number;
  readonly failures: Record<RedisProblem, number>;
}

/**
 * The connection to the shared store. A command fails at once while there is none, and after a bounded time otherwise: then the connection is
 * given up too, so that nothing waits behind it and nothing is carried out long after. It comes back by itself.
 */
export class RedisConnection {
  readonly counts: RedisCounts = {
    commands: 0,
    failures: { lost: 0, slow: 0, full: 0, 'read-only': 0, loading: 0, refused: 0 },
  };
  readonly #target: RedisTarget;
  readonly #options: RedisConnectionOptions;
  readonly #timeoutMs: number;
  readonly #sentinels: Sentinels | undefined;
  readonly #listeners = new Set<(state: RedisState) => void>();
  readonly #subscriptions: { readonly channel: string; readonly onMessage: (message: string) => void }[] = [];
  #state: RedisState;
  #link: RedisLink | undefined;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  /** Of a cluster, as the latest of them that answered reported. */
  #nodes: readonly RedisAddress[] = [];
  #isClosed = false;

  /** Begins to connect. */
  constructor(target: RedisTarget, options: RedisConnectionOptions) {
    this.#target = target;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? COMMAND_TIMEOUT_MS;
    const { at, tls } = target;
    this.#sentinels = 'group' in at ? new Sentinels(at.group, at.sentinels, tls, this.#timeoutMs) : undefined;
    this.#state = { kind: 'lost', since: options.now(), problem: 'lost', reason: 'not connected yet' };
    void this.#connect();
  }

  get state(): RedisState {
    return this.#state;
  }

  /** Called after each change of the state. @returns ends it */
  onChange(listener: (state: RedisState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * @param asBytes strings of the answer are buffers
   * @throws RedisFailure; where `isUnknown`, it may have been carried out
   */
  async send(args: readonly RedisArgument[], asBytes = false): Promise<unknown> {
    const link = this.#link;
    this.counts.commands++;
    try {
      if (link === undefined) {
        const { problem, reason } = this.#state as Extract<RedisState, { kind: 'lost' }>;
        throw new RedisFailure(problem, reason, false);
      }
      return await link.send(args, this.#timeoutMs, asBytes);
    } catch (error) {
      if (error instanceof RedisFailure) {
        this.counts.failures[error.problem]++;
        if (link !== undefined && endsConnection(error.problem)) this.#lose(link, error);
      }
      throw error;
    }
  }

  /** By its digest; the source travels where the server does not have it: after a restart, a failover or a flush of scripts. */
  async run(
    { source, sha1 }: RedisScript,
    keys: readonly string[],
    args: readonly RedisArgument[],
    asBytes = false,
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.send(['EVALSHA', sha1, ...rest], asBytes);
    } catch (error) {
      if (!isScriptMissing(error)) throw error;
      return await this.send(['EVAL', source, ...rest], asBytes);
    }
  }

  /** Messages of the channel, while there is a connection: what is published while there is none is missed. Never ends. */
  subscribe(channel: string, onMessage: (message: string) => void): void {
    this.#subscriptions.push({ channel, onMessage });
    const link = this.#link;
    link?.subscribe(channel, onMessage, this.#timeoutMs).catch((error: unknown) => this.#lose(link, error));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#sentinels?.close();
    const link = this.#link;
    this.#link = undefined;
    link?.destroy();
  }

  async #connect(): Promise<void> {
    let link: RedisLink | undefined;
    try {
      let address = await this.#address();
      link = await this.#open(address);
      let info = await readServerInfo(link, this.#timeoutMs);
      if (info.isInCluster) {
        const { owner, all } = await readClusterNodes(link, address, this.#timeoutMs);
        this.#nodes = all;
        if (addressText(owner) !== addressText(address)) {
          link.destroy();
          address = owner;
          link = await this.#open(address);
          info = await readServerInfo(link, this.#timeoutMs);
        }
      }
      if (!info.isPrimary) throw new RedisFailure('read-only', NO_PRIMARY, false);
      if (this.#options.upstream !== undefined) await requireUpstream(link, this.#options.upstream, this.#timeoutMs);
      for (const { channel, onMessage } of this.#subscriptions)
        await link.subscribe(channel, onMessage, this.#timeoutMs);
      if (this.#isClosed) return link.destroy();
      this.#reached(link, info, address);
    } catch (error) {
      link?.destroy();
      if (!this.#isClosed) this.#failed(error);
    }
  }

  #open(address: RedisAddress): Promise<RedisLink> {
    const { tls, user, database } = this.#target;
    return RedisLink.open(address, { tls, user, password: currentPassword(this.#target), database }, this.#timeoutMs);
  }

  /** Of a cluster one node after the other is asked: the one that was written may be gone. */
  async #address(): Promise<RedisAddress> {
    const { at } = this.#target;
    if ('group' in at) return await (this.#sentinels as Sentinels).primary();
    const known = [at, ...this.#nodes];
    return known[this.#attempts % known.length] as RedisAddress;
  }

  #reached(link: RedisLink, { run }: ServerInfo, address: RedisAddress): void {
    this.#link = link;
    this.#attempts = 0;
    void link.ended.then((reason) => this.#lose(link, new RedisFailure('lost', reason.message, true)));
    if (this.#sentinels !== undefined) this.#watch(link, address);
    this.#change({ kind: 'reachable', since: this.#options.now(), server: run });
  }

  #lose(link: RedisLink, error: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    clearTimeout(this.#timer);
    link.destroy();
    this.#failed(error);
  }

  #failed(error: unknown): void {
    const [problem, reason] =
      error instanceof RedisFailure ? [error.problem, error.message] : (['refused', String(error)] as const);
    const since = this.#state.kind === 'lost' ? this.#state.since : this.#options.now();
    this.#change({ kind: 'lost', since, problem, reason });
    const ceilingMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** this.#attempts++);
    this.#timer = setTimeout(() => void this.#connect(), ceilingMs * (0.5 + this.#options.random() / 2));
  }

  /** Gives the connection up when most Sentinels name another primary, or no longer agree. */
  #watch(link: RedisLink, { host, port }: RedisAddress): void {
    this.#timer = setTimeout(async () => {
      try {
        const named = await (this.#sentinels as Sentinels).primary();
        if (this.#link !== link) return;
        if (named.host !== host || named.port !== port)
          throw new RedisFailure('lost', 'the Sentinels name another primary', true);
        this.#watch(link, named);
      } catch (error) {
        this.#lose(link, error);
      }
    }, SENTINELS_ASKED_EVERY_MS);
  }

  #change(state: RedisState): void {
    const before = this.#state;
    this.#state = state;
    const store = targetText(this.#target);
    const { log } = this.#options;
    if (state.kind === 'reachable') log.info({ store, server: state.server }, 'the shared store can be reached');
    else if (before.kind === 'reachable' || before.problem !== state.problem || before.reason === 'not connected yet')
      log.error({ store, problem: state.problem, reason: state.reason }, 'the shared store cannot be used');
    for (const listener of this.#listeners) listener(state);
  }
}
