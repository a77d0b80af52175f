/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  // Set for a build alone: a release needs what it makes, and at a start Next would warn of it.
  output: process.env.NEXT_OUTPUT === 'standalone' ? 'standalone' : undefined,
  reactStrictMode: true,
  productionBrowserSourceMaps: false,
  // npm test checks the types of everything at once; a start need not do it again.
  typescript: { ignoreBuildErrors: true },
  // There is nothing to optimise, and whoever asked for it wrote into the console.
  images: { unoptimized: true },
  serverExternalPackages: ['pino', 'undici'],
  turbopack: { resolveAlias: { fflate: { browser: './components/map/basemap/no-inflate.ts' } } },
};

export default config;
