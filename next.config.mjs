/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  productionBrowserSourceMaps: false,
  // npm test checks the types of everything at once; a start need not do it again.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ['pino', 'undici'],
  turbopack: { resolveAlias: { fflate: { browser: './components/map/basemap/no-inflate.ts' } } },
};

export default config;
