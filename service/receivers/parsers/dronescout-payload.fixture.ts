import { odidStruct, type SaidByDrone } from './odid-struct.fixture.ts';

export interface HeardBySensor {
  readonly mac?: string;
  readonly transport?: 'BLE legacy' | 'BLE long range' | 'WiFi beacon' | 'WiFi NaN';
  readonly sensor?: string;
  /** On the sensor's clock, ms since 1970. */
  readonly timestamp?: number;
}

export function dronescoutPayload(said: SaidByDrone, heard: HeardBySensor = {}): string {
  return JSON.stringify({
    protocol: 1.0,
    data: {
      'sensor ID': heard.sensor ?? 'sensor-1',
      RSSI: -72,
      channel: 0,
      timestamp: heard.timestamp ?? 0,
      'MAC address': heard.mac ?? 'D2:10:45:00:00:01',
      type: heard.transport ?? 'BLE legacy',
      UASdata: Buffer.from(odidStruct(said)).toString('base64'),
    },
  });
}
