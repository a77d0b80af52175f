import { expect, test } from 'vitest';
import { type MapCommand, MapCommands } from './page-map.ts';

test('A place that was looked for before the map is there is gone to once; other commands are dropped', () => {
  const commands = new MapCommands();
  commands.run({ kind: 'go-to', lon: 1, lat: 2, zoom: 10, name: 'first' });
  commands.run({ kind: 'go-to', lon: 8.5, lat: 47.4, zoom: 12, name: 'second' });
  commands.run({ kind: 'home' });
  const run: MapCommand[] = [];
  const stop = commands.listen((command) => run.push(command));
  expect(run).toEqual([{ kind: 'go-to', lon: 8.5, lat: 47.4, zoom: 12, name: 'second' }]);
  commands.run({ kind: 'home' });
  stop();
  commands.listen((command) => run.push(command));
  expect(run).toHaveLength(2);
});
