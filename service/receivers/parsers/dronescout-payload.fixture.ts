import { odidStruct, type SaidByDrone } from './odid-struct.fixture.ts';

export interface SensorReception {
  readonly mac?: string;
  readonly transport?: 'BLE legacy' | 'BLE long range' | 'WiFi beacon' | 'WiFi NaN';
  readonly sensor?: string;
  /** A time of the sensor's clock, ms since 1970. */
  readonly timestamp?: number;
}

export function dronescoutPayload(said: SaidByDrone, reception: SensorReception = {}): string {
  return JSON.stringify({
    protocol: 1.0,
    data: {
      'sensor ID': reception.sensor ?? 'sensor-1',
      RSSI: -72,
      channel: 0,
      timestamp: reception.timestamp ?? 0,
      'MAC address': reception.mac ?? 'D2:10:45:00:00:01',
      type: reception.transport ?? 'BLE legacy',
      UASdata: Buffer.from(odidStruct(said)).toString('base64'),
    },
  });
}
