import type { MetadataRoute } from 'next';

/** The app as phones and desktops install it. It names no place and no view. */
export default function manifest(): MetadataRoute.Manifest {
  const icon = (name: string, size: number, purpose: 'any' | 'maskable') =>
    ({ src: `/app-icon-${name}.png`, sizes: `${size}x${size}`, type: 'image/png', purpose }) as const;
  return {
    id: '/',
    name: 'Lookout',
    short_name: 'Lookout',
    description: 'Received drone Remote ID and aircraft ADS-B positions.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#0b1118',
    theme_color: '#0b1118',
    icons: [icon('192', 192, 'any'), icon('512', 512, 'any'), icon('maskable', 512, 'maskable')],
  };
}
