import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { makeByteRate } from '../byte-rate.ts';
import type { Connect, Inlet, Surroundings } from '../feed.ts';
import { connectionProblem } from './connection-problem.ts';
import { makeMqttPacketMeter } from './mqtt-packet-meter.ts';
import { type Ended, reconnecting } from './reconnecting.ts';

export interface MqttOptions {
  readonly host: string;
  readonly port: number;
  readonly topic: string;
  readonly username?: string | undefined;
  /** Read anew for each connection, so that a password can be changed. */
  readonly passwordFile?: string | undefined;
  /** Undefined: no TLS. */
  readonly tls?:
    | {
        /** A file with the certificates that are trusted besides those of the system: a broker of one's own has signed its own. */
        readonly caFile: string | undefined;
      }
    | undefined;
  /** Default 10 s, until the broker has accepted the subscription. */
  readonly connectTimeoutMs?: number;
  /** Default 1 MiB: a kit's answer with its hundred drones is a fifth of that. */
  readonly packetMaxBytes?: number;
  /** Default 8 MiB: 4,000 messages of DroneScout. A connection that sends more within a second is cut. */
  readonly bytesPerSecondMax?: number;
}

const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
const PACKET_MAX_BYTES = 1024 * 1024;
const BYTES_PER_SECOND_MAX = 8 * 1024 * 1024;
/** A broker that says nothing for one and a half of it is gone. */
const KEEPALIVE_S = 30;

/** The messages of a topic of an MQTT broker, from the moment of subscribing on; the connection is made again when it ends. */
export function mqttMessages(options: MqttOptions): Connect {
  return (inlet, surroundings) =>
    reconnecting((closing) => subscription(options, inlet, surroundings, closing), inlet, surroundings);
}

interface Opened {
  readonly socket: Socket;
  readonly password: string | undefined;
}

/** One connection, until it ends. Never rejects. */
async function subscription(
  options: MqttOptions,
  inlet: Inlet,
  { now, after }: Surroundings,
  closing: AbortSignal,
): Promise<Ended> {
  const { topic, connectTimeoutMs = CONNECT_TIMEOUT_MS, packetMaxBytes = PACKET_MAX_BYTES } = options;
  const { bytesPerSecondMax = BYTES_PER_SECOND_MAX } = options;
  // Only where there is a broker: it is a tenth of a start.
  const { MqttClient } = await import('mqtt');
  let opened: Opened;
  try {
    opened = await open(options);
  } catch (error) {
    return { problem: `a file of its settings: ${connectionProblem(error)}`, lastedMs: 0 };
  }
  const { socket, password } = opened;
  const meter = makeMqttPacketMeter(packetMaxBytes);
  const rate = makeByteRate(bytesPerSecondMax, now);
  let problem: string | undefined;
  let subscribedAt: UpstreamInstant | undefined;

  function end(why: string): void {
    problem ??= why;
    socket.destroy();
  }

  return new Promise((resolve) => {
    const client = new MqttClient(() => socket, {
      clientId: `lookout-${randomUUID()}`,
      ...(options.username !== undefined && { username: options.username }),
      ...(password !== undefined && { password }),
      clean: true,
      keepalive: KEEPALIVE_S,
      // Waiting is ours: the library's has no dice and no bound.
      reconnectPeriod: 0,
      connectTimeout: connectTimeoutMs * 2,
    });
    const cancelTimeout = after(connectTimeoutMs, () => end(`no answer within ${connectTimeoutMs / SECOND_MS} s`));
    const close = () => end('closed');
    closing.addEventListener('abort', close, { once: true });
    socket.on('data', (chunk) => {
      if (meter.isTooLong(chunk)) {
        inlet.refuse('too_long');
        end(`it sent a message of more than ${Math.floor(packetMaxBytes / 1024)} KiB`);
      } else if (rate.isFlood(chunk.length)) {
        inlet.refuse('flood');
        end(`it sent more than ${Math.floor(bytesPerSecondMax / 1024)} KiB within a second`);
      }
    });
    client.on('connect', () => {
      client.subscribe(topic, { qos: 0 }, (error, granted) => {
        if (error || granted?.every(({ qos }) => qos >= 128)) return end('the broker refuses the topic');
        cancelTimeout();
        subscribedAt = now();
        inlet.connected();
      });
    });
    client.on('message', (_topic, payload, { retain }) => {
      // What the broker has kept for newcomers is of an unknown past.
      if (!retain && !closing.aborted) inlet.message(payload);
    });
    client.on('error', (error) => end(mqttProblem(error)));
    socket.on('error', (error) => end(connectionProblem(error)));
    socket.once('close', () => {
      cancelTimeout();
      closing.removeEventListener('abort', close);
      client.end(true);
      const lastedMs = subscribedAt === undefined ? 0 : msBetween(subscribedAt, now());
      resolve({ problem: problem ?? 'the broker closed the connection', lastedMs });
    });
    if (closing.aborted) close();
  });
}

async function open({ host, port, tls, passwordFile }: MqttOptions): Promise<Opened> {
  const read = async (file: string | undefined) => (file === undefined ? undefined : await readFile(file, 'utf8'));
  const [password, ca] = await Promise.all([read(passwordFile), read(tls?.caFile)]);
  const socket = tls
    ? openTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
    : openTcp({ host, port });
  socket.setNoDelay(true);
  return { socket, password: password?.trim() };
}

/** Refusals of MQTT 3.1.1 (3.2.2.3) are numbers; everything else is the socket's. */
function mqttProblem(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (code === 4 || code === 5) return 'it refuses the user and password, or asks for them';
  if (typeof code === 'number') return `the broker refuses the connection (code ${code})`;
  return connectionProblem(error);
}
