package bigmkl

import "bigmkl/predict"

// Model is a trained model: its file's contents, Predict and Save.
type Model = predict.Model

// PredictOptions say how a model is evaluated; the zero value predicts with all processors.
type PredictOptions = predict.Options

// Prediction is the outcome for one row.
type Prediction = predict.Prediction

// Load reads a model file whole.
func Load(path string) (*Model, error) { return predict.Load(path) }

// Open reads a model file but for its support vectors, which are read as they are needed, until
// Close. Predictions then take memory for other things.
func Open(path string) (*Model, error) { return predict.Open(path) }
