// Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment.
// `go run ./swap webhook < body` checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
// `partnerexchange.go` lies in the folder `partnerexchange` of a module that is named `example.com/shop` here.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/shop/partnerexchange"
)

type side struct{ Amount, Min, Max, Address string }

type order struct {
	ID, Token, Status string
	From, To          side
}

func swap(ctx context.Context) error {
	exchange, err := partnerexchange.New(os.Getenv("BASE_URL"), os.Getenv("API_KEY"), os.Getenv("API_SECRET"))
	if err != nil {
		return err
	}
	terms := map[string]string{"type": "float", "fromCcy": "LTC", "toCcy": "ETH", "direction": "from", "amount": "2"}
	var quote struct{ From, To side }
	if err := exchange.Call(ctx, "price", terms, &quote); err != nil {
		return err
	}
	fmt.Printf("%s LTC gives %s ETH\n", quote.From.Amount, quote.To.Amount)

	terms["toAddress"] = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
	terms["refundAddress"] = "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh"
	// One key for each order that you mean to make: the same key never makes a second order.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	var created order
	err = exchange.Create(ctx, terms, &created, hex.EncodeToString(key))
	var refused *partnerexchange.RefusedError
	if errors.As(err, &refused) && (refused.Code == 7 || refused.Code == 8) {
		log.Printf("from %s to %s LTC", quote.From.Min, quote.From.Max)
	}
	if err != nil {
		return err
	}
	fmt.Printf("pay %s LTC to %s\n", created.From.Amount, created.From.Address)

	var now order
	if err := exchange.Call(ctx, "order", map[string]string{"id": created.ID, "token": created.Token}, &now); err != nil {
		return err
	}
	fmt.Printf("%s is %s\n", now.ID, now.Status)
	return nil
}

func webhook() error {
	raw, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	headers := http.Header{}
	headers.Set("X-Partner-Webhook-Sign", os.Getenv("SIGN"))
	headers.Set("X-Partner-Webhook-Timestamp", os.Getenv("TIMESTAMP"))
	event, err := partnerexchange.VerifyWebhook(raw, headers, time.Now(), os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		return fmt.Errorf("not authentic: %w", err)
	}
	fmt.Println("authentic:", event.Type)
	return nil
}

func main() {
	run := func() error { return swap(context.Background()) }
	if len(os.Args) > 1 && os.Args[1] == "webhook" {
		run = webhook
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
