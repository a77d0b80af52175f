import { beforeAll, describe, expect, test } from 'vitest';
import { type FleetFigures, fleetFigures } from './fleet-figures.ts';
import { modelStore } from './model-store.ts';

// Not the days of the benchmark: others, the same each time.
let figures: FleetFigures;
beforeAll(async () => {
  figures = await fleetFigures({ days: 40, firstSeed: 60_012, replicas: 3 }, modelStore());
});

describe('forty random days of three servers that are killed, stopped and cut off', () => {
  test('all of it happens', () => {
    const kinds = ['kill', 'stop', 'cut', 'faults', 'flush', 'fail-over', 'past', 'seat taken'];
    for (const kind of kinds) expect(figures.troubles, kind).toHaveProperty([kind]);
  });

  test('none of their requests finds the account empty, but for the probes of a ledger that was lost', () => {
    expect(figures.kept.requests).toBeGreaterThan(1000);
    expect(figures.lost.blindProbes).toBeGreaterThan(0);
    expect([figures.kept.refused, figures.lost.overspent]).toEqual([0, 0]);
  });

  test('days with viewers from midnight to midnight use 93% of their allowance', () => {
    const sum = figures.used.reduce((total, used) => total + used, 0);
    expect(figures.used.length).toBeGreaterThan(5);
    expect(sum / figures.used.length).toBeGreaterThanOrEqual(0.93);
  });
});
