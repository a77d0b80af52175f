import { declareLeasesSuite } from '../ports/leases-suite.fixture.ts';
import { EmbeddedLeases } from './embedded-leases.ts';

declareLeasesSuite('EmbeddedLeases', async () => {
  const leases = new EmbeddedLeases();
  return [leases, leases];
});
