import type { Config } from 'tailwindcss';

/** Every colour is a variable of app/globals.css, where its dark and light value stand side by side. */
const token = (name: string) => `var(--${name})`;

const config: Config = {
  content: ['./{app,components}/**/*.{ts,tsx}', '!./**/*.{test,fixture}.{ts,tsx}'],
  theme: {
    extend: {
      colors: {
        background: token('background'),
        surface: token('surface'),
        raised: token('raised'),
        line: token('line'),
        edge: token('edge'),
        text: token('text'),
        dim: token('dim'),
        muted: token('muted'),
        focus: token('focus'),
        warning: token('warning'),
        bad: token('bad'),
        good: token('good'),
      },
      fontFamily: {
        sans: ['"Inter Variable"', 'system-ui', 'sans-serif'],
        mono: ['"JetBrains Mono Variable"', 'ui-monospace', 'monospace'],
      },
      fontSize: {
        label: ['10px', '14px'],
        caption: ['11px', '15px'],
        table: ['12px', '16px'],
        body: ['13px', '18px'],
        name: ['15px', '20px'],
        title: ['20px', '28px'],
      },
      borderRadius: { control: '7px', card: '9px' },
    },
  },
};

export default config;
