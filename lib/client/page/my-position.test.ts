import { describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { MyPositionWatch } from './my-position.ts';

function fakeDevice(isSecureContext = true) {
  const watching = new Map<number, [PositionCallback, PositionErrorCallback | null | undefined]>();
  let nextId = 0;
  const geolocation: Pick<Geolocation, 'watchPosition' | 'clearWatch'> = {
    watchPosition(found, failed) {
      watching.set(nextId, [found, failed]);
      return nextId++;
    },
    clearWatch: (id) => watching.delete(id),
  };
  const isAt = (longitude: number, latitude: number, accuracy: number, timestamp: number) => {
    const coords = { longitude, latitude, accuracy } as GeolocationCoordinates;
    for (const [found] of watching.values()) found({ coords, timestamp } as GeolocationPosition);
  };
  const fails = (code: 1 | 2 | 3) => {
    for (const [, failed] of watching.values()) failed?.({ code } as GeolocationPositionError);
  };
  return { watching, isAt, fails, window: { isSecureContext, navigator: { geolocation } } };
}

describe('MyPositionWatch', () => {
  test('asks, is known with its accuracy and time, and ends when it is switched off', () => {
    const device = fakeDevice();
    const mine = new MyPositionWatch(device.window);
    mine.start();
    expect(mine.state.get()).toEqual({ kind: 'asking' });
    device.isAt(8.5, 47.4, 12, 1000);
    expect(mine.state.get()).toEqual({ kind: 'known', lon: 8.5, lat: 47.4, accuracyM: 12, at: localInstant(1000) });
    mine.stop();
    expect(mine.state.get()).toEqual({ kind: 'off' });
    expect(device.watching.size).toBe(0);
  });

  test('ends when it is denied, and asks again when it is switched on again', () => {
    const device = fakeDevice();
    const mine = new MyPositionWatch(device.window);
    mine.start();
    device.fails(1);
    expect(mine.state.get()).toEqual({ kind: 'denied' });
    expect(device.watching.size).toBe(0);
    mine.start();
    expect(mine.state.get()).toEqual({ kind: 'asking' });
  });

  test('keeps a known position, which ages, while the device does not find itself', () => {
    const device = fakeDevice();
    const mine = new MyPositionWatch(device.window);
    mine.start();
    device.fails(2);
    expect(mine.state.get()).toEqual({ kind: 'unavailable' });
    device.isAt(8.5, 47.4, 12, 1000);
    device.fails(3);
    expect(mine.state.get().kind).toBe('known');
  });

  test('says why there is none where the browser has none', () => {
    const insecure = new MyPositionWatch(fakeDevice(false).window);
    insecure.start();
    expect(insecure.state.get()).toEqual({ kind: 'insecure' });
    const without = new MyPositionWatch({ isSecureContext: true, navigator: {} });
    without.start();
    expect(without.state.get()).toEqual({ kind: 'unavailable' });
  });
});
