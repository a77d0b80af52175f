/** Doc comments by field, '' without one. */
export type CommentedFields = ReadonlyMap<string, string>;

interface OpenLiteral {
  readonly indent: number;
  readonly fields: Map<string, string>;
}

/** Relies on Biome's format. Descriptions in the schemas would be sent to every browser. */
export function commentedFields(source: string): readonly CommentedFields[] {
  const found: CommentedFields[] = [];
  const open: OpenLiteral[] = [];
  let comment = '';
  for (const line of onOneLine(source).split('\n')) {
    const indent = line.search(/\S/);
    const literal = open.at(-1);
    const [, text] = /^\s*\/\*\*(.*)\*\/$/.exec(line) ?? [];
    const [, name] = /^\s+'?([A-Za-z_][\w-]*)'?(?:: |,$)/.exec(line) ?? [];
    if (text !== undefined) {
      comment = text.trim();
      continue;
    }
    if (literal && name !== undefined && indent === literal.indent + 2) literal.fields.set(name, comment);
    if (literal && line.trimStart().startsWith('}') && indent === literal.indent) {
      open.pop();
      if (literal.fields.size > 0) found.push(literal.fields);
    }
    if (line.endsWith('{')) open.push({ indent, fields: new Map() });
    comment = '';
  }
  return found;
}

function onOneLine(source: string): string {
  return source.replace(/\/\*\*[\s\S]*?\*\//g, (comment) => comment.replace(/\s*\n\s*(\* (?=[^/])|(?=\*\/))/g, ' '));
}
