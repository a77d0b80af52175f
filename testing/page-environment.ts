import { GlobalWindow } from 'happy-dom';
import { type Environment, populateGlobal } from 'vitest/runtime';

/** A window for the page, with the classes of HTTP of Node: Lookout's server may be in the same process. */
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup(global) {
    const window = new GlobalWindow({ console: global.console, url: 'http://localhost:3000' });
    Object.assign(window.happyDOM.settings, { disableErrorCapturing: true });
    const { keys, originals } = populateGlobal(global, window, { bindFunctions: true });
    // Node's classes have it, and queues of the server extend the window's.
    Object.assign(window.EventTarget.prototype, { setMaxListeners: () => undefined });
    return {
      async teardown() {
        await window.happyDOM.abort();
        window.close();
        for (const key of keys) delete global[key];
        for (const [key, descriptor] of originals) Object.defineProperty(global, key, descriptor);
      },
    };
  },
} satisfies Environment;
