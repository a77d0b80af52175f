import 'server-only';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import {
  alarmsTopic,
  birthTopics,
  type MqttTopics,
  noticePayload,
  OFFLINE,
  ONLINE,
  stateTopic,
  statusTopic,
  zoneMessages,
  zoneTopics,
} from '#lib/outputs/mqtt-messages.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../machine.ts';
import type { DestinationZones } from '../zone-states.ts';
import { type Message, MqttConnection, MqttLink } from './mqtt-link.ts';
import { attempt, type Sender, type SenderDeps } from './sender.ts';

const CLOSES_WITHIN_MS = SECOND_MS;

/**
 * Publishes notices to a broker, and keeps a device of Home Assistant for each zone whose rules name the destination.
 * @param password '': none
 */
export function openMqtt(
  destinationId: string,
  config: ConfigOf<'mqtt'>,
  password: string,
  { guard, now, zones: { of } }: Pick<SenderDeps, 'guard' | 'now' | 'zones'>,
): Sender {
  const zones = of(destinationId);
  let publisher: ZonePublisher | undefined;
  // A publisher fails with its connection; the next connection has its own.
  const follow = () => void publisher?.publish().catch(() => undefined);
  // The client's id is equal at every server: the next writer ends the connection of the one before, with its last
  // will.
  const clientId = `lookout-${destinationId.replaceAll('-', '').slice(0, 15)}`;
  const link = new MqttLink({
    open: () => MqttConnection.open(config, password, clientId, guard),
    onConnected: (connection) => {
      publisher = new ZonePublisher(connection, { topics: config, destinationId, zones });
      follow();
    },
  });
  const endFollowing = zones.onChange(follow);
  // The link keeps the problem, and tries again.
  void link.connect().catch(() => undefined);
  return {
    get problem() {
      return link.problem;
    },
    send: (notice, signal) =>
      attempt(signal, async () => {
        const connection = await link.connect();
        await connection.publish(alarmsTopic(config), noticePayload(notice, now()), false);
      }),
    async close() {
      endFollowing();
      link.close();
      const { connection } = link;
      if (!connection) return;
      const last = async () => {
        // Devices of a destination that was removed or switched off are removed.
        await publisher?.publish();
        await connection.publish(statusTopic(config), OFFLINE, true);
      };
      await withinMs(last(), CLOSES_WITHIN_MS).catch(() => undefined);
      await connection.end();
    },
  };
}

interface ZonePublisherOptions {
  readonly topics: MqttTopics;
  readonly destinationId: string;
  readonly zones: Pick<DestinationZones, 'read'>;
}

/**
 * Keeps the retained messages of one connection equal to the states of zones. When Home Assistant starts, it publishes all
 * of them again: the broker may have lost them.
 */
class ZonePublisher {
  readonly #options: ZonePublisherOptions;
  readonly #connection: MqttConnection;
  /** The payloads that the broker acknowledged, by topic. */
  readonly #published = new Map<string, string>();
  /** The ids of zones that the broker has a device of. */
  readonly #devices = new Set<string>();
  readonly #runs = new Coalesced(() => this.#run());

  constructor(connection: MqttConnection, options: ZonePublisherOptions) {
    this.#connection = connection;
    this.#options = options;
    const births = birthTopics(options.topics);
    connection.subscribe([stateTopic(options.topics, '+'), ...births], (message) => {
      if (births.includes(message.topic)) this.#homeAssistantStarted(message);
      else if (message.isRetained) this.#adoptDevice(message);
    });
  }

  /** Rejects when the connection ended. */
  publish(): Promise<void> {
    return this.#runs.run();
  }

  /** A failure is of the connection, whose end the link handles. */
  #publishLater(): void {
    void this.publish().catch(() => undefined);
  }

  async #run(): Promise<void> {
    // Without the states, devices must not show the last ones.
    await this.#follow().catch(() => this.#retain(statusTopic(this.#options.topics), OFFLINE));
  }

  async #follow(): Promise<void> {
    const { topics, zones, destinationId } = this.#options;
    const states = await zones.read();
    const wanted = new Set(states.map(({ id }) => id));
    for (const id of this.#devices) {
      if (wanted.has(id)) continue;
      for (const topic of zoneTopics(topics, id)) await this.#retain(topic, '');
      this.#devices.delete(id);
    }
    for (const state of states) {
      this.#devices.add(state.id);
      for (const [topic, payload] of zoneMessages(topics, destinationId, state)) await this.#retain(topic, payload);
    }
    await this.#retain(statusTopic(topics), ONLINE);
  }

  async #retain(topic: string, payload: string): Promise<void> {
    if (this.#published.get(topic) === payload) return;
    await this.#connection.publish(topic, payload, true);
    this.#published.set(topic, payload);
  }

  /** Home Assistant started. A retained message is of a start before this connection, which has published all. */
  #homeAssistantStarted({ payload, isRetained }: Message): void {
    if (payload !== ONLINE || isRetained) return;
    this.#published.clear();
    this.#publishLater();
  }

  /** An earlier connection published this state. Other destinations may use the topic too. */
  #adoptDevice({ topic, payload }: Message): void {
    const id = topic.split('/').at(-2) ?? '';
    if (this.#devices.has(id) || !isOf(this.#options.destinationId, payload)) return;
    this.#devices.add(id);
    this.#publishLater();
  }
}

function isOf(destinationId: string, payload: string): boolean {
  try {
    return JSON.parse(payload).destination === destinationId;
  } catch {
    return false;
  }
}
