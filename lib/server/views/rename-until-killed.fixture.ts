// node --conditions=react-server rename-until-killed.fixture.ts TARGET OWNER
// Prints each name once it must be on disk.
import { openDatabase } from '../database/open-database.ts';
import { sayLine } from '../database/say-line.fixture.ts';
import { SavedViews } from './saved-views.ts';

const [target = '', owner = ''] = process.argv.slice(2);
const views = new SavedViews(await openDatabase(JSON.parse(target)));
const id = (await views.list(owner)).views[0]?.id ?? '';
for (let turn = 0; ; turn++) {
  const { name } = await views.change(owner, id, { name: `turn ${turn}`, query: `?view=${turn % 80},8,9` });
  sayLine(name);
}
