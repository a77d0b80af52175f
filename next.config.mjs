import { existsSync } from 'node:fs';

/** Also read at a start, and by `npm run dev`. */
const isBuild = process.env.NEXT_OUTPUT === 'standalone';

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  // For a build alone: a release needs what it makes, and at a start Next would warn of it.
  output: isBuild ? 'standalone' : undefined,
  reactStrictMode: true,
  // Equal builds have equal names. Next's default is random.
  generateBuildId: () => process.env.NEXT_BUILD_ID ?? null,
  productionBrowserSourceMaps: false,
  // npm test checks the types of everything at once; a start need not do it again.
  typescript: { ignoreBuildErrors: true },
  // There is nothing to optimise, and requests for the optimiser filled the console.
  images: { unoptimized: true },
  // Next's optional image library, which nothing uses without optimised images: 20 MB of native code.
  outputFileTracingExcludes: { '**': ['node_modules/sharp/**', 'node_modules/@img/**', 'node_modules/detect-libc/**'] },
  serverExternalPackages: ['pino', 'undici'],
  experimental: {
    // Pages of `npm run dev` would wait for it: our own server does not carry it.
    reactDebugChannel: false,
    // Nothing reads those of a build: Next does not map the stack of an error that is logged, and a release had few of them.
    turbopackSourceMaps: !isBuild,
    // So that such a stack names functions and lines.
    turbopackMinify: { server: false },
    // Pages share modules in place of copies: a tenth less JavaScript than with the defaults.
    turbopackChunking: { requestCost: 8_000, minChunkSize: 3_000 },
    // Keeping what was compiled is a third of a build: the first build of a clone, in CI the only one, keeps nothing.
    turbopackFileSystemCacheForBuild: existsSync(new URL('.next', import.meta.url)),
  },
  turbopack: { resolveAlias: { fflate: { browser: './components/map/basemap/no-inflate.ts' } } },
};

export default config;
