import 'server-only';
import type { Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import type { MqttClient } from 'mqtt';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { backOffMs, halfJitterMs } from '#lib/async/back-off.ts';
import { OFFLINE, statusTopic } from '#lib/outputs/mqtt-messages.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../machine.ts';
import { bare, type Guard, serverName } from '../guard.ts';
import { connectionProblem, SendFailure } from './sender.ts';

const INTERRUPTED = 'Lookout interrupted it.';
const RETRIES = { firstMs: SECOND_MS, maxMs: MINUTE_MS } as const;

export interface MqttLinkOptions {
  readonly open: () => Promise<MqttConnection>;
  /** The broker may have lost everything since the last connection. */
  readonly onConnected: (connection: MqttConnection) => void;
}

/**
 * Keeps one connection to a broker, and opens the next when it ended, after a back-off. Promises no order over
 * connections: what was not acknowledged must be published again.
 */
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

  /** The problem of the connection; null: it works; `undefined`: not known yet. */
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
      // `ended` never rejects.
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
    // `connect` has kept the problem, and tries again.
    this.#timer = setTimeout(() => void this.connect().catch(() => undefined), waitMs);
    this.#timer.unref();
  }
}

const ANSWERS_WITHIN_MS = 10 * SECOND_MS;
const ENDS_WITHIN_MS = SECOND_MS / 2;
/** A broker that is silent for 1.5 times as long is lost. */
const KEEPALIVE_S = 30;
/** A broker that sends a longer packet is disconnected. */
const PACKET_MAX_BYTES = 1024 * 1024;
const PORTS = { mqtt: 1883, mqtts: 8883 } as const;

const ENDED = 'The broker closed the connection.';

export interface Message {
  readonly topic: string;
  readonly payload: string;
  /** The broker has kept it since before the subscription. */
  readonly isRetained: boolean;
}

/** One connection to a broker, until its first problem. */
export class MqttConnection {
  readonly #client: MqttClient;
  readonly #socket: Socket;
  /** Resolves with the problem when the connection has ended. */
  readonly ended: Promise<string>;
  readonly #waiting = new Set<(problem: string) => void>();
  #problem: string | undefined;

  private constructor(client: MqttClient, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > PACKET_MAX_BYTES) this.destroy('The broker sent a packet of more than 1 MiB.');
    });
    client.on('packetreceive', () => {
      bytes = 0;
    });
    client.on('error', (error) => this.destroy(mqttProblem(error)));
    socket.on('error', (error) => this.destroy(connectionProblem(error)));
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        client.end(true);
        const problem = this.#problem ?? ENDED;
        for (const end of this.#waiting) end(problem);
        resolve(problem);
      });
    });
  }

  /** @throws SendFailure, or as `Guard.connect` */
  static async open(
    config: ConfigOf<'mqtt'>,
    password: string,
    clientId: string,
    guard: Pick<Guard, 'connect'>,
  ): Promise<MqttConnection> {
    // The library is loaded on demand, since that takes a tenth of a start.
    const { MqttClient } = await import('mqtt');
    const socket = await openSocket(config, guard);
    const client = new MqttClient(() => socket, {
      clientId,
      clean: true,
      keepalive: KEEPALIVE_S,
      reconnectPeriod: 0,
      connectTimeout: 2 * ANSWERS_WITHIN_MS,
      ...(config.user !== '' && { username: config.user, password }),
      will: { topic: statusTopic(config), payload: Buffer.from(OFFLINE), qos: 1, retain: true },
    });
    const connection = new MqttConnection(client, socket);
    const connected = new Promise<undefined>((resolve) => client.once('connect', () => resolve(undefined)));
    const problem = await connection.#within('The broker does not answer.', connected);
    if (problem !== undefined) throw new SendFailure('retry', problem);
    return connection;
  }

  /** Publishes with QoS 1. Resolves when the broker acknowledged it. @throws SendFailure: some brokers end the connection to refuse */
  async publish(topic: string, payload: string, retain: boolean): Promise<void> {
    const published = this.#client.publishAsync(topic, payload, { qos: 1, retain }).then(
      () => undefined,
      (error: unknown) => connectionProblem(error),
    );
    const problem = await this.#within('The broker acknowledges nothing.', published);
    if (problem !== undefined) throw new SendFailure('failed', problem);
  }

  /** Reads the messages of all subscriptions. A broker may refuse a subscription. */
  subscribe(filters: readonly string[], read: (message: Message) => void): void {
    this.#client.on('message', (topic, payload, { retain }) =>
      read({ topic, payload: payload.toString(), isRetained: retain }),
    );
    this.#client.subscribe([...filters], { qos: 1 }, () => undefined);
  }

  /** Ends the connection in order: the broker publishes no last will. */
  async end(): Promise<void> {
    this.#client.end();
    await withinMs(this.ended, ENDS_WITHIN_MS);
    this.destroy('It was closed.');
  }

  /** Ends the connection if `answer` takes too long. @returns the problem */
  async #within(late: string, answer: Promise<string | undefined>): Promise<string | undefined> {
    const timer = setTimeout(() => this.destroy(late), ANSWERS_WITHIN_MS);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    if (this.#socket.closed) resolve(this.#problem ?? ENDED);
    // The waits are not races with `ended`, since each race would stay in memory until then.
    this.#waiting.add(resolve);
    // `answer` never rejects: it resolves with its problem.
    void answer.then(resolve);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(resolve);
      clearTimeout(timer);
    }
  }

  destroy(problem: string): void {
    this.#problem ??= problem;
    this.#socket.destroy();
  }
}

async function openSocket({ url, ca_pem }: ConfigOf<'mqtt'>, guard: Pick<Guard, 'connect'>): Promise<Socket> {
  const { hostname, port, protocol } = new URL(url);
  const isTls = protocol === 'mqtts:';
  const socket = await guard.connect(hostname, Number(port) || PORTS[isTls ? 'mqtts' : 'mqtt']);
  if (!isTls) return socket;
  const ca = ca_pem === '' ? {} : { ca: ca_pem };
  // The certificate is checked against the name.
  return openTls({ socket, host: bare(hostname), servername: serverName(hostname), ...ca });
}

/** Refusals of MQTT 3.1.1 (3.2.2.3) are numbers, others the socket's errors. */
function mqttProblem(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (code === 4 || code === 5) return 'The broker refuses the user or the password.';
  return typeof code === 'number' ? `The broker refuses the connection (code ${code}).` : connectionProblem(error);
}
