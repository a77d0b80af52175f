import { declareSharedPartsSuite } from '../ports/shared-parts-suite.fixture.ts';
import { EmbeddedParts } from './embedded-parts.ts';

declareSharedPartsSuite('EmbeddedParts', async () => {
  const parts = new EmbeddedParts();
  return [parts, parts];
});
