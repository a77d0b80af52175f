// Renames the first view of an operator as fast as it can until it is killed:
//   node --conditions=react-server rename-until-killed.fixture.ts FILE OWNER
// Prints each name after the change, so that whoever reads knows what must be on disk.
import { SavedViews } from './saved-views.ts';

const [file = '', owner = ''] = process.argv.slice(2);
const views = new SavedViews(file, (error) => {
  throw error;
});
const id = views.list(owner).views[0]?.id ?? '';
for (let turn = 0; ; turn++) {
  const { name } = views.change(owner, id, { name: `turn ${turn}`, query: `?view=${turn % 80},8,9` });
  process.stdout.write(`${name}\n`);
}
