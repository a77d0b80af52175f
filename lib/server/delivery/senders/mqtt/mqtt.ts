import 'server-only';
import type { ConfigOf } from '#lib/api/outputs/destinations.ts';
import { alarmsTopic, noticePayload, OFFLINE, statusTopic } from '#lib/outputs/mqtt-messages.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../../upstream/unless-aborted.ts';
import { attempt } from '../attempt.ts';
import type { Sender, SenderDeps } from '../sender.ts';
import { MqttConnection } from './mqtt-connection.ts';
import { MqttLink } from './mqtt-link.ts';
import { ZonePublisher } from './zone-publisher.ts';

const CLOSES_WITHIN_MS = SECOND_MS;

/** @param password '': none */
export function openMqtt(
  destinationId: string,
  config: ConfigOf<'mqtt'>,
  password: string,
  { guard, now, zones: { of } }: Pick<SenderDeps, 'guard' | 'now' | 'zones'>,
): Sender {
  const zones = of(destinationId);
  let publisher: ZonePublisher | undefined;
  const follow = () => void publisher?.publish().catch(() => undefined);
  // Equal at every server: the next writer ends the connection of the one before, with its last will.
  const clientId = `lookout-${destinationId.replaceAll('-', '').slice(0, 15)}`;
  const link = new MqttLink({
    open: () => MqttConnection.open(config, password, clientId, guard),
    onConnected: (connection) => {
      publisher = new ZonePublisher(connection, { topics: config, destinationId, zones });
      follow();
    },
  });
  const endFollowing = zones.onChange(follow);
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
