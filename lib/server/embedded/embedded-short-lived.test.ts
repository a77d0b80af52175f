import { declareShortLivedSuite } from '../ports/short-lived-suite.fixture.ts';
import { EmbeddedShortLived } from './embedded-short-lived.ts';

declareShortLivedSuite('EmbeddedShortLived', async (now) => {
  const kept = new EmbeddedShortLived(now);
  return [kept, kept];
});
