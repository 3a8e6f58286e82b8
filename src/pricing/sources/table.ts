/** The price sources, one row each; adding one is its file and its row. All are asked at every refresh. */
import { binance } from './binance.ts';
import { bitfinex } from './bitfinex.ts';
import { bitstamp } from './bitstamp.ts';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { kraken } from './kraken.ts';
import { kucoin } from './kucoin.ts';
import { okx } from './okx.ts';
import type { PriceSource } from './source.ts';

export const SOURCES: readonly PriceSource[] = [binance, kraken, coinbase, okx, bitstamp, kucoin, bitfinex, coingecko];
