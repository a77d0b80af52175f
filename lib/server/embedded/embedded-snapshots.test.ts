import { declareSnapshotsSuite } from '../ports/snapshots-suite.fixture.ts';
import { EmbeddedSnapshots } from './embedded-snapshots.ts';

declareSnapshotsSuite('EmbeddedSnapshots', async () => {
  const snapshots = new EmbeddedSnapshots();
  return [snapshots, snapshots];
});
