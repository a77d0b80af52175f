import 'server-only';
import {
  birthTopics,
  type MqttTopics,
  OFFLINE,
  ONLINE,
  stateTopic,
  statusTopic,
  zoneMessages,
  zoneTopics,
} from '#lib/outputs/mqtt-messages.ts';
import type { DestinationZones } from '../../zone-states/zone-states.ts';
import type { Message, MqttConnection } from './mqtt-connection.ts';

export interface ZonePublisherOptions {
  readonly topics: MqttTopics;
  readonly destinationId: string;
  readonly zones: Pick<DestinationZones, 'read'>;
}

/**
 * Keeps the retained messages of one connection equal to the states of zones. When Home Assistant starts, it publishes all
 * of them again: the broker may have lost them.
 */
export class ZonePublisher {
  readonly #options: ZonePublisherOptions;
  readonly #connection: MqttConnection;
  /** Payloads that the broker acknowledged, by topic. */
  readonly #published = new Map<string, string>();
  /** By id: those that the broker has. */
  readonly #devices = new Set<string>();
  #running: Promise<void> | undefined;
  #isAnotherWanted = false;

  constructor(connection: MqttConnection, options: ZonePublisherOptions) {
    this.#connection = connection;
    this.#options = options;
    const births = birthTopics(options.topics);
    connection.subscribe([stateTopic(options.topics, '+'), ...births], (message) => {
      if (births.includes(message.topic)) this.#born(message);
      else if (message.isRetained) this.#known(message);
    });
  }

  /** Rejects when the connection ended. */
  publish(): Promise<void> {
    this.#isAnotherWanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isAnotherWanted) {
      this.#isAnotherWanted = false;
      // Without the states, devices must not show the last ones.
      await this.#follow().catch(() => this.#retain(statusTopic(this.#options.topics), OFFLINE));
    }
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

  /** A retained one is of a start before this connection, which has published all. */
  #born({ payload, isRetained }: Message): void {
    if (payload !== ONLINE || isRetained) return;
    this.#published.clear();
    void this.publish().catch(() => undefined);
  }

  /** Of an earlier connection. Other destinations may use the topic too. */
  #known({ topic, payload }: Message): void {
    const id = topic.split('/').at(-2) ?? '';
    if (this.#devices.has(id) || !isOf(this.#options.destinationId, payload)) return;
    this.#devices.add(id);
    void this.publish().catch(() => undefined);
  }
}

function isOf(destinationId: string, payload: string): boolean {
  try {
    return JSON.parse(payload).destination === destinationId;
  } catch {
    return false;
  }
}
