/** The ids of transactions that something names, distinct and in the order of their first appearance. Pure. */
export const txIdsOf = (parts: Iterable<{ readonly txId: string }>): string[] => distinct(parts, ({ txId }) => txId);

/** The same where a node names them. */
export const txidsOf = (parts: Iterable<{ readonly txid: string }>): string[] => distinct(parts, ({ txid }) => txid);

const distinct = <T>(parts: Iterable<T>, idOf: (part: T) => string): string[] => [...new Set(Array.from(parts, idOf))];
