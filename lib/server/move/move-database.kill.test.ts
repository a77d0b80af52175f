import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runs } from '#testing/budget.ts';
import { describePostgres } from '#testing/test-databases.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { type MoveStep, moveDatabase } from './move-database.ts';
import { contentOf, DIRECTIONS, filled, STARTED, startOf } from './moved-databases.fixture.ts';

describePostgres('a move', ({ newEmptyTarget: newTarget }) => {
  test.each(DIRECTIONS)(
    '%s that is killed at any step starts on at most one database, and ends equal when it is run again',
    async (_, between) => {
      const [from, to] = between({ newTarget });
      await filled(from, 20);
      const before = await contentOf(from);
      const steps = await countSteps(...between({ newTarget }));
      const count = runs(20);
      // Spread over all steps; short runs kill at other ones each.
      const kills = Array.from(
        { length: count },
        (_each, index) => 1 + Math.floor(((index + Math.random()) * (steps - 3)) / count),
      );
      for (const step of [...kills, steps - 2, steps - 1, steps]) {
        expect(await runUntil(from, to, step), `at step ${step} of ${steps}`).toBe('killed');
        const starts = [await startOf(from), await startOf(to)];
        expect(starts.filter((each) => each === STARTED).length).toBe(step === steps - 1 ? 0 : 1);
        if (step < steps - 1) expect(starts[1]).toMatch(/is half moved.*Run it again/);
        if (step === steps - 1) expect(await contentOf(from)).toEqual(before);
      }
      expect(await runUntil(from, to, 0)).toBe('was moved');
      expect(await contentOf(to)).toEqual(before);
    },
  );

  /** The last ones are the source's mark and the target's commit. */
  async function countSteps(from: DatabaseTarget, to: DatabaseTarget): Promise<number> {
    const steps: MoveStep[] = [];
    await moveDatabase(await filled(from, 20), to, (step) => steps.push(step));
    expect(steps.slice(-2).map(({ kind }) => kind)).toEqual(['source-marked', 'committed']);
    return steps.length;
  }

  async function runUntil(from: DatabaseTarget, to: DatabaseTarget, step: number): Promise<string> {
    const script = fileURLToPath(new URL('./move-until-killed.fixture.ts', import.meta.url));
    const process_ = spawn(
      process.execPath,
      ['--conditions=react-server', script, JSON.stringify(from), JSON.stringify(to), String(step)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    process_.stdout.on('data', (data) => {
      text += String(data);
    });
    const [, signal] = (await once(process_, 'close')) as [number | null, string | null];
    return signal === 'SIGKILL' ? 'killed' : text;
  }
});
