import { headers } from 'next/headers';

/** A script of the page itself, which the page's policy lets run. It must contain no tag that ends it. */
export async function InlineScript({ code }: { readonly code: string }) {
  const policy = (await headers()).get('content-security-policy') ?? '';
  const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
  // biome-ignore lint/security/noDangerouslySetInnerHtml: code of this program.
  return <script nonce={nonce} dangerouslySetInnerHTML={{ __html: code }} />;
}
