import 'server-only';
import { backOffMs, halfJitterMs } from '#lib/async/back-off.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { connectionProblem } from '../connection-problem.ts';
import { SendFailure } from '../sender.ts';
import type { MqttConnection } from './mqtt-connection.ts';

const INTERRUPTED = 'Lookout interrupted it.';
const RETRIES = { firstMs: SECOND_MS, maxMs: MINUTE_MS } as const;

export interface MqttLinkOptions {
  readonly open: () => Promise<MqttConnection>;
  /** The broker may have lost everything since the last connection. */
  readonly onConnected: (connection: MqttConnection) => void;
}

/** Opens a connection again when it ended. */
export class MqttLink {
  readonly #options: MqttLinkOptions;
  #connecting: Promise<MqttConnection> | undefined;
  #connection: MqttConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;
  #problem: string | null | undefined;

  constructor(options: MqttLinkOptions) {
    this.#options = options;
  }

  /** Connects at once, even if the next try is later. @throws SendFailure */
  connect(): Promise<MqttConnection> {
    if (this.#isClosed) return Promise.reject(new SendFailure('retry', INTERRUPTED));
    clearTimeout(this.#timer);
    this.#connecting ??= this.#open();
    return this.#connecting;
  }

  get connection(): MqttConnection | undefined {
    return this.#connection;
  }

  /** null: it works; `undefined`: not known yet. */
  get problem(): string | null | undefined {
    return this.#problem;
  }

  /** Leaves the connection, for a last message. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #open(): Promise<MqttConnection> {
    try {
      const connection = await this.#options.open();
      if (this.#isClosed) {
        await connection.end();
        throw new SendFailure('retry', INTERRUPTED);
      }
      this.#failures = 0;
      this.#problem = null;
      this.#connection = connection;
      void connection.ended.then((problem) => this.#lost(problem));
      this.#options.onConnected(connection);
      return connection;
    } catch (error) {
      this.#failures++;
      const failure = error instanceof SendFailure ? error : new SendFailure('retry', connectionProblem(error));
      this.#lost(failure.message);
      throw failure;
    }
  }

  #lost(problem: string): void {
    this.#problem = problem;
    this.#connecting = undefined;
    this.#connection = undefined;
    if (this.#isClosed) return;
    const waitMs = halfJitterMs(backOffMs(this.#failures + 1, RETRIES), Math.random);
    this.#timer = setTimeout(() => void this.connect().catch(() => undefined), waitMs);
    this.#timer.unref();
  }
}
