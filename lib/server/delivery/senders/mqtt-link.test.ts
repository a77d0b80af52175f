import { describe, expect, test } from 'vitest';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { isMissing } from '#testing/missing-package.ts';
import { startMosquitto } from '#testing/mosquitto.ts';
import { openGuard } from '../guard.ts';
import { MqttConnection, MqttLink } from './mqtt-link.ts';

describe.skipIf(isMissing('mosquitto'))('a link to a broker', () => {
  test('that is closed while it connects ends the connection, and uses it for nothing', async () => {
    const broker = await startMosquitto();
    const guard = openGuard(['127.0.0.1'], async () => [{ address: '127.0.0.1' }]);
    let connected = 0;
    let opened: MqttConnection | undefined;
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const topics = { topic: 'lookout', discovery_topic: 'homeassistant' };
    const config: ConfigOf<'mqtt'> = { kind: 'mqtt', url, user: '', ca_pem: '', ...topics };
    const link = new MqttLink({
      open: async () => {
        opened = await MqttConnection.open(config, '', 'lookout-test', guard);
        link.close();
        return opened;
      },
      onConnected: () => connected++,
    });
    await expect(link.connect()).rejects.toMatchObject({ kind: 'retry', message: 'Lookout interrupted it.' });
    expect([link.connection, connected]).toEqual([undefined, 0]);
    await opened?.ended;
    await guard.close();
    await broker.kill();
  });
});
