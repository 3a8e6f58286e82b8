/** One published address of each network: what a payout or a refund may go to there. */
import type { NetworkName } from '../../src/catalog/networks.ts';

const EVM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

export const ADDRESS_ON: Readonly<Record<NetworkName, string>> = {
	Bitcoin: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
	Litecoin: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
	Dash: 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5',
	Ethereum: EVM,
	BSC: EVM,
	Polygon: EVM,
	Arbitrum: EVM,
	Optimism: EVM,
	Avalanche: EVM,
	Solana: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
	Tron: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
	Monero: '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm',
};
