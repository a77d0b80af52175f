/**
 * The walls, as an allow-list: an import that is not listed is an error. Exceptions are single files: those of
 * `contractFiles`, and a `pathNot` in the rule itself. docs/architecture.md gives the reason for each wall.
 */
const tests = '\\.(test|spec|fixture)\\.tsx?$|^(e2e|bench|scripts|testing)/';

/** Folders without react, next, maplibre or node, and without fetch, clock or randomness. */
const pure = [
  'async',
  'commands',
  'geo',
  'time',
  'random',
  'text',
  'columns',
  'contract',
  'model',
  'filter',
  'picture',
  'codec',
  'zones',
  'overview',
  'incidents',
  'api',
  'outputs',
  'version',
];

/** The pure folders that each pure folder may import. */
const pureImports = {
  async: ['async'],
  commands: ['commands'],
  geo: ['geo'],
  time: ['time'],
  random: ['random'],
  text: ['text'],
  columns: ['columns'],
  contract: ['contract', 'geo', 'time'],
  model: ['model', 'geo', 'time'],
  filter: ['filter', 'model', 'geo', 'time'],
  picture: ['picture', 'filter', 'columns', 'model', 'geo', 'time'],
  codec: ['codec', 'columns', 'model', 'geo', 'time'],
  zones: ['zones', 'model', 'geo', 'time', 'text'],
  overview: ['overview', 'zones', 'columns', 'model', 'geo', 'time'],
  incidents: ['incidents', 'api', 'zones', 'picture', 'model', 'geo', 'time'],
  api: ['api', 'zones', 'filter', 'model', 'geo', 'time', 'text'],
  outputs: ['outputs', 'api', 'zones', 'model', 'geo', 'time', 'text'],
  version: ['version'],
};

/** Files of the contract that other folders may import; docs/decisions/ gives the reason. */
const contractFiles = {
  model: ['operation'],
  zones: ['operation'],
  api: ['limits', 'wire-position'],
  client: ['limits'],
  components: ['limits'],
};
/** The libraries of a pure folder. */
const pureLibraries = {
  geo: '^node_modules/(mgrs|zod)/',
  text: '^node_modules/(ipaddr\\.js|zod)/',
  zones: '^node_modules/(flatbush|polygon-clipping|temporal-polyfill|zod)/',
  version: '^package\\.json$',
};

/** The folders of components that each may import, in addition to itself and ui. */
const componentsSee = {
  ui: [],
  map: ['emergencies', 'street-map'],
  replay: ['filters', 'map'],
  'track-times': [],
  'track-card': ['alarms', 'track-times'],
  tracks: ['track-card', 'layers'],
  layers: [],
  notices: [],
  legend: [],
  filters: ['layers'],
  allowance: ['layers'],
  'sign-in': [],
  frame: ['alarms', 'incidents', 'shell', 'sign-in'],
  account: ['frame'],
  outputs: ['account', 'frame'],
  doctor: ['account', 'frame'],
  receivers: ['account', 'frame'],
  incidents: ['account', 'frame', 'zones'],
  'home-area': ['allowance', 'layers'],
  settings: ['sign-in', 'home-area', 'street-map'],
  'street-map': [],
  overlays: [],
  export: [],
  share: ['notices', 'filters', 'legend', 'export', 'tracks'],
  views: [],
  wall: ['alarms', 'emergencies', 'filters', 'layers', 'notices'],
  hints: [],
  overview: [],
  emergencies: [],
  summary: ['layers'],
  measuring: [],
  area: [],
  zones: [],
  alarms: ['incidents', 'zones'],
  find: [],
  'my-position': ['layers', 'track-card'],
  shell: [
    'measuring',
    'area',
    'zones',
    'alarms',
    'incidents',
    'tracks',
    'filters',
    'layers',
    'notices',
    'legend',
    'allowance',
    'sign-in',
    'settings',
    'share',
    'emergencies',
    'summary',
    'views',
    'wall',
    'overlays',
    'overview',
    'hints',
    'track-card',
    'find',
    'my-position',
    'home-area',
  ],
};

/** The levels of a folder, lowest first: a subfolder imports those on the levels below its own. */
const levels = {
  'lib/server': [
    ['machine'],
    ['database', 'maps'],
    ['supervision'],
    ['allowance', 'views', 'work'],
    ['audit', 'upstream'],
    ['history', 'live', 'sign-in', 'street-map'],
    ['export', 'metrics', 'read-access', 'servers', 'settings', 'trails'],
    ['doctor', 'move', 'zones'],
    ['delivery', 'outputs', 'overview'],
    ['incidents'],
    ['runtime'],
    ['routes'],
    ['compose'],
  ],
  service: [
    ['json'],
    ['data-dir', 'http', 'references', 'service-now', 'sources'],
    ['faults', 'store', 'wire'],
    ['accounts'],
    ['server'],
    ['conformance'],
    ['past'],
    ['receivers'],
    ['cli'],
  ],
};
const foldersOnLevels = (folder, level = 0) =>
  `^${folder}/(${levels[folder].slice(level).flat().join('|')})(?:/|\\.ts$)`;

const folders = (names) => `^lib/(${names.join('|')})/`;
const contractSeenBy = (name) => (contractFiles[name] ?? []).map((file) => `^lib/contract/${file}\\.ts$`);

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(geojson|topojson-specification)$' },
    },
    ...Object.keys(levels).flatMap((folder) => [
      {
        name: 'every-folder-has-a-level',
        severity: 'error',
        from: { path: `^${folder}/`, pathNot: [foldersOnLevels(folder), '\\.test\\.ts$', '^service/cli\\.ts$'] },
        to: {},
      },
      ...levels[folder].map((names, level) => ({
        name: `level-${level + 1}-of-${folder}`,
        comment: 'A subfolder imports none of its own level, and none above.',
        severity: 'error',
        from: { path: `^${folder}/(${names.join('|')})(?:/|\\.ts$)`, pathNot: '\\.(test|fixture)\\.ts$' },
        to: { path: foldersOnLevels(folder, level), pathNot: `^${folder}/$1(?:/|\\.ts$)` },
      })),
    ]),
    ...pure.map((name) => ({
      name: `pure-${name}`,
      comment: 'Pure folders import pure folders below them and zod.',
      severity: 'error',
      from: { path: `^lib/${name}/`, pathNot: tests },
      to: {
        pathNot: [folders(pureImports[name]), ...contractSeenBy(name), pureLibraries[name] ?? '^node_modules/zod/'],
      },
    })),
    {
      name: 'server-from-routes-only',
      comment: 'lib/server is reached from route handlers and server components only.',
      severity: 'error',
      from: {
        pathNot: ['^lib/server/', '^app/.*route\\.ts$', '^app/.*(page|layout)\\.tsx$', '^instrumentation\\.ts$', tests],
      },
      to: { path: '^lib/server/' },
    },
    {
      name: 'composed-once',
      comment: 'Routes reach the parts of the process through `runtime.ts`, and load what they use.',
      severity: 'error',
      from: { pathNot: ['^instrumentation\\.ts$', tests] },
      to: { path: '^lib/server/compose\\.ts$' },
    },
    {
      name: 'app-sees',
      comment: 'Routes and pages compose: what they need of the contract is in lib/api.',
      severity: 'error',
      from: { path: '^(app/|instrumentation\\.ts$)', pathNot: tests },
      to: {
        pathNot: [
          '^app/',
          '^components/',
          '^lib/(client|server)/',
          folders(['commands', 'geo', 'time', 'model', 'outputs', 'api', 'version']),
          '^node_modules/',
          '^package\\.json$',
          '^[a-z_:/]+$',
        ],
      },
    },
    {
      name: 'front-sees',
      comment:
        'The front runs before Next and outside of its bundles: what it shares with lib/server is on globalThis.',
      severity: 'error',
      from: { path: '^lib/front/', pathNot: tests },
      to: {
        pathNot: ['^lib/front/', folders(['api', 'time', 'text', 'version']), '^node_modules/', '^node:', '^[a-z_/]+$'],
      },
    },
    {
      name: 'front-from-the-server-only',
      severity: 'error',
      from: { pathNot: ['^lib/(front|server)/', tests] },
      to: { path: '^lib/front/' },
    },
    {
      name: 'server-sees',
      severity: 'error',
      from: { path: '^lib/server/', pathNot: tests },
      to: { pathNot: ['^lib/(server|front)/', folders(pure), '^node_modules/', '^node:', '^[a-z_/]+$'] },
    },
    {
      name: 'client-sees',
      comment: 'The wire format of the upstream ends on the server.',
      severity: 'error',
      from: { path: '^lib/client/', pathNot: tests },
      to: {
        pathNot: [
          '^lib/client/',
          folders(['async', 'geo', 'time', 'text', 'model', 'filter', 'picture', 'columns', 'codec', 'zones', 'api']),
          ...contractSeenBy('client'),
          '^node_modules/',
        ],
      },
    },
    {
      name: 'components-see',
      severity: 'error',
      from: { path: '^components/', pathNot: tests },
      to: {
        pathNot: [
          '^components/',
          '^lib/client/',
          folders([
            'async',
            'geo',
            'time',
            'text',
            'model',
            'filter',
            'picture',
            'zones',
            'api',
            'incidents',
            'outputs',
          ]),
          ...contractSeenBy('components'),
          '^node_modules/',
        ],
      },
    },
    ...Object.entries(componentsSee).map(([name, seen]) => ({
      name: `components-${name}`,
      comment:
        'Folders of components import only the listed ones of each other; they meet in stores and in app/live-app.tsx.',
      severity: 'error',
      from: { path: `^components/${name}/`, pathNot: tests },
      to: { path: '^components/', pathNot: `^components/(${[name, 'ui', ...seen].join('|')})/` },
    })),
    {
      name: 'maplibre-in-map-only',
      severity: 'error',
      from: { pathNot: ['^components/map/', tests] },
      to: { path: '^node_modules/(maplibre-gl|react-map-gl|@protomaps/basemaps)/' },
    },
    {
      name: 'pmtiles-where-archives-are-read',
      comment: 'The map draws archives; the server looks into those that it is configured with.',
      severity: 'error',
      from: { pathNot: ['^components/map/', '^lib/server/maps/', '^lib/server/street-map/', tests] },
      to: { path: '^node_modules/pmtiles/' },
    },
    {
      name: 'service-sees',
      comment: 'The service and the app share the contract and the encoding of columns.',
      severity: 'error',
      from: { path: '^service/', pathNot: '\\.(test|fixture)\\.ts$' },
      to: {
        pathNot: [
          '^service/',
          folders(['async', 'commands', 'contract', 'columns', 'geo', 'time', 'text', 'random', 'version']),
          '^node_modules/(zod|mqtt)/',
          '^node:',
          '^[a-z_/]+$',
        ],
      },
    },
    {
      name: 'mqtt-in-one-file-each',
      comment: 'Its reconnecting and its limits are ours, in these files.',
      severity: 'error',
      from: {
        pathNot: [
          '^service/receivers/feeds/transports/mqtt-messages\\.ts$',
          '^lib/server/delivery/senders/mqtt-link\\.ts$',
          tests,
        ],
      },
      to: { path: '^node_modules/mqtt/' },
    },
    {
      name: 'next-internals-in-one-file',
      comment:
        'Next exports no check of its router state; lib/front/front.test.ts covers the file. Its public entry is in dist.',
      severity: 'error',
      from: { pathNot: ['^lib/front/next-request\\.ts$', tests] },
      to: { path: '^node_modules/next/dist/(?!server/next\\.js$)' },
    },
    {
      name: 'pg-in-one-folder',
      comment: 'Its pool, its timeouts and what its errors mean are in lib/server/database.',
      severity: 'error',
      from: { pathNot: ['^lib/server/database/', tests] },
      to: { path: '^node_modules/(@types/)?pg/' },
    },
    {
      name: 'kysely-on-the-server',
      comment: 'Statements are written by the owners of tables.',
      severity: 'error',
      from: { pathNot: ['^lib/server/', tests] },
      to: { path: '^node_modules/kysely/' },
    },
    {
      name: 'parsers-and-fusion-are-pure',
      comment: 'Messages become positions without a clock, files or network; ids end in the parser.',
      severity: 'error',
      from: { path: '^service/receivers/(parsers|fusion)/', pathNot: tests },
      to: {
        pathNot: [
          '^service/receivers/(parsers|fusion)/',
          '^service/receivers/fix\\.ts$',
          '^service/json/',
          '^service/sources/observation\\.ts$',
          folders(['contract', 'geo', 'time']),
          '^node_modules/zod/',
        ],
      },
    },
    {
      name: 'parsers-know-no-fusion',
      severity: 'error',
      from: { path: '^service/receivers/parsers/' },
      to: { path: '^service/receivers/(fusion|feeds)/' },
    },
    {
      name: 'sources-see-no-tests',
      comment: 'A build ignores files that only tests read: a change of them does not repeat it.',
      severity: 'error',
      from: { pathNot: tests },
      to: { path: '\\.(test|spec|fixture)\\.tsx?$' },
    },
    {
      name: 'fixtures-see-no-service',
      comment: 'Helpers of the app’s tests that need the service are in testing/.',
      severity: 'error',
      from: { path: '^(lib|components)/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(service|testing|scripts|bench|e2e|app)/' },
    },
    {
      name: 'harness-order',
      comment:
        'Benchmarks may use the runners of the browser tests, those the harnesses of `testing`, and those the scripts.',
      severity: 'error',
      from: { path: '^scripts/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(testing|e2e|bench)/' },
    },
    { name: 'harness-order', severity: 'error', from: { path: '^testing/' }, to: { path: '^(e2e|bench)/' } },
    { name: 'harness-order', severity: 'error', from: { path: '^e2e/' }, to: { path: '^bench/' } },
    {
      name: 'service-from-outside',
      comment: 'Nothing but scripts, tests and the embedded start imports the service.',
      severity: 'error',
      from: { pathNot: ['^service/', tests] },
      to: { path: '^service/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next)' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
