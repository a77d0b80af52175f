import 'server-only';
import type { Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import type { MqttClient } from 'mqtt';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import { OFFLINE, statusTopic } from '#lib/outputs/mqtt-messages.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../../upstream/unless-aborted.ts';
import { bare, type Guard, serverName } from '../../guard/guard.ts';
import { connectionProblem } from '../connection-problem.ts';
import { SendFailure } from '../sender.ts';

const ANSWERS_WITHIN_MS = 10 * SECOND_MS;
const ENDS_WITHIN_MS = SECOND_MS / 2;
/** Silence of 1.5 times this is a loss. */
const KEEPALIVE_S = 30;
/** Of a packet that the broker sends. */
const PACKET_MAX_BYTES = 1024 * 1024;
const PORTS = { mqtt: 1883, mqtts: 8883 } as const;

const ENDED = 'The broker closed the connection.';

export interface Message {
  readonly topic: string;
  readonly payload: string;
  /** The broker has kept it since before the subscription. */
  readonly isRetained: boolean;
}

/** Ends at the first problem; a new one is opened then. */
export class MqttConnection {
  readonly #client: MqttClient;
  readonly #socket: Socket;
  /** Resolves with the problem. */
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
    // Loading it takes a tenth of a start.
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

  /** With QoS 1. Resolves when the broker acknowledged it. @throws SendFailure: some brokers end the connection to refuse */
  async publish(topic: string, payload: string, retain: boolean): Promise<void> {
    const published = this.#client.publishAsync(topic, payload, { qos: 1, retain }).then(
      () => undefined,
      (error: unknown) => connectionProblem(error),
    );
    const problem = await this.#within('The broker acknowledges nothing.', published);
    if (problem !== undefined) throw new SendFailure('failed', problem);
  }

  /** Messages of all subscriptions, which a broker may refuse. */
  subscribe(filters: readonly string[], read: (message: Message) => void): void {
    this.#client.on('message', (topic, payload, { retain }) =>
      read({ topic, payload: payload.toString(), isRetained: retain }),
    );
    this.#client.subscribe([...filters], { qos: 1 }, () => undefined);
  }

  /** Without the last will. */
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
    // Not a race with `ended`: each would stay until then.
    this.#waiting.add(resolve);
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
