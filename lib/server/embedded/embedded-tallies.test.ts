import { declareTalliesSuite, TALLIES_KEPT } from '../ports/tallies-suite.fixture.ts';
import { EmbeddedTallies } from './embedded-tallies.ts';

declareTalliesSuite('EmbeddedTallies', async () => {
  const tallies = new EmbeddedTallies(TALLIES_KEPT);
  return [tallies, tallies];
});
