// `drive vectors FILE`: what the Go client makes of each vector, as JSON. `drive call NAME`: a call, in a word.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/shop/partnerexchange"
)

type vector struct {
	APISecret, Nonce, Body, Signature, ID string
	Timestamp                             *string
	Secrets                               []string
	Now                                   int64
	Promise                               partnerexchange.Promise
	Expected                              partnerexchange.Terms
	Trusted                               []string
}

func verdict(each vector, headers map[string]string) string {
	given := http.Header{}
	for name, value := range headers {
		given.Set(name, value)
	}
	if _, err := partnerexchange.VerifyWebhook([]byte(each.Body), given, time.Unix(each.Now, 0), each.Secrets...); err != nil {
		return err.Error()
	}
	return "authentic"
}

func ofCall(name string) string {
	exchange, err := partnerexchange.New(os.Getenv("BASE_URL"), "pk_key", "secret")
	if err != nil {
		return "no https"
	}
	var data struct{ Word string }
	err = exchange.Call(context.Background(), name, map[string]string{"a": "b"}, &data)
	var refused *partnerexchange.RefusedError
	if errors.As(err, &refused) {
		return fmt.Sprintf("refused %d %s %.0f", refused.Code, refused.RequestID, refused.RetryAfter.Seconds())
	}
	if err != nil {
		return "no answer"
	}
	return "answered " + data.Word
}

func main() {
	if os.Args[1] == "call" {
		fmt.Println(ofCall(os.Args[2]))
		return
	}
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	var vectors struct{ Requests, Webhooks, StandardWebhooks, Promises []vector }
	if err := json.Unmarshal(text, &vectors); err != nil {
		log.Fatal(err)
	}
	made := map[string][]string{}
	for _, each := range vectors.Requests {
		timestamp := ""
		if each.Timestamp != nil {
			timestamp = *each.Timestamp
		}
		made["requests"] = append(made["requests"], partnerexchange.Sign(each.APISecret, []byte(each.Body), each.Nonce, timestamp))
	}
	for _, each := range vectors.Webhooks {
		made["webhooks"] = append(made["webhooks"], verdict(each, map[string]string{
			"X-Partner-Webhook-Sign":      each.Signature,
			"X-Partner-Webhook-Timestamp": *each.Timestamp,
		}))
	}
	for _, each := range vectors.StandardWebhooks {
		made["standardWebhooks"] = append(made["standardWebhooks"], verdict(each, map[string]string{
			"Webhook-Id":        each.ID,
			"Webhook-Timestamp": *each.Timestamp,
			"Webhook-Signature": each.Signature,
		}))
	}
	for _, each := range vectors.Promises {
		word := "authentic"
		if _, err := partnerexchange.VerifyPromise(each.Promise, each.Expected, each.Trusted...); err != nil {
			word = err.Error()
		}
		made["promises"] = append(made["promises"], word)
	}
	if err := json.NewEncoder(os.Stdout).Encode(made); err != nil {
		log.Fatal(err)
	}
}
