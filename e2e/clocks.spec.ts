import { HOUR_MS } from '#lib/time/time-units.ts';
import { setClockWrong } from './driver/browser-clock.ts';
import { expect, test } from './lookout-test.ts';

for (const [what, byMs] of [
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
] as const) {
  test(`A browser whose clock is ${what} shows the right ages and the service’s time`, async ({ operator }) => {
    await setClockWrong(operator.page, byMs);
    await operator.watches();
    const browserMs = await operator.page.evaluate(() => Date.now());
    expect(Math.abs(browserMs - byMs - Date.now()), 'error of the shifted clock').toBeLessThan(5000);

    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d s ago$/);
    await expect
      .poll(async () => Math.abs((await operator.timeShownMs()) - Date.now()), 'time shown against true time')
      .toBeLessThan(2500);

    // Nothing has expired early, and nothing is missing.
    await expect
      .poll(async () => {
        const counted = (await operator.countOf('Aircraft')) + (await operator.countOf('Drones'));
        return counted - operator.answers.currentRecords(Date.now());
      })
      .toBe(0);

    // The first row may be of a track that has ended, whose age is soon shown in minutes or not at all.
    const reference = operator.answers.latestObserved();
    await operator.tracks.search.fill(reference);
    await operator.tracks.row(reference).click();
    await expect
      .poll(async () => {
        const observedMs = operator.answers.observedAtMs(reference);
        const leastS = (Date.now() - observedMs) / 1000;
        const shownS = await operator.tracks.secondsOld();
        const mostS = (Date.now() - observedMs) / 1000;
        return shownS < leastS ? leastS - shownS : Math.max(0, shownS - mostS);
      }, 'age shown against true age while it was read, in seconds')
      .toBeLessThan(2.5);
  });
}
